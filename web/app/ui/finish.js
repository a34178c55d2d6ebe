// Says that everything is bought, how long it took, and what comes next.

import { fill, h } from '../dom.js';
import { length, t } from '../text.js';
import { announce } from './sheet.js';

export class Finish {
    element = h('div.finish', { hidden: true });
    #screen;
    #plan;
    #text = h('p', { dir: 'auto' });

    /** @param {() => void} plan  goes back to planning */
    constructor(screen, plan) {
        this.#screen = screen;
        this.#plan = plan;
    }

    /** The list has changed. */
    show() {
        const { canEdit, isShopping, elsewhere, state } = this.#screen;
        const here = isShopping ? state.items.filter(({ id }) => !elsewhere.has(id)) : [];
        const isDone = here.length > 0 && here.every(item => item.markedOff);
        if (isDone !== this.element.hidden) return;
        this.element.hidden = !isDone;
        if (!isDone) return;
        fill(this.element, this.#text, canEdit && h('button', { onclick: () => this.#screen.changes.clear() }, t('shop.clear')),
            h('button', { onclick: this.#plan }, t('list.plan')));
        this.#tell(here.length);
    }

    /** @param {number} n  how many items are done */
    async #tell(n) {
        const { device, id } = this.#screen;
        this.#text.textContent = t('shop.done', { n });
        const [trip] = await device.trips().then(trips => trips.of(id)).catch(() => []);
        if (trip && !trip.isOver) this.#text.textContent = t('shop.done.after', { done: this.#text.textContent, length: length(trip.duration) });
        announce(this.#text.textContent);
    }
}
