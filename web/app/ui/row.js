// One item's row. Its element stays while the item is on the list.

import { h, icon } from '../dom.js';
import { t } from '../text.js';
import { face, nameOf } from './people.js';
import { stepped } from './quantity.js';

export class Row {
    element;
    item = null;
    #check;
    #text;
    #sub;
    #quantity;
    #delivery = null;
    /** Who is changing the item, and how, while that isn't on the list yet. */
    #coming = null;
    /** The person's mark that is not on the list yet. */
    #ahead = null;
    #drawn = '';

    constructor(id) {
        const textID = `text-${id}`, quantityID = `quantity-${id}`;
        this.#text = h('span.text', { id: textID, dir: 'auto' });
        this.#sub = h('span.sub', { dir: 'auto' });
        this.#quantity = h('span.quantity', { id: quantityID, dir: 'auto' });
        this.#check = h('button.check', { role: 'checkbox', 'aria-checked': 'false', 'aria-labelledby': `${textID} ${quantityID}` }, icon('check'));
        this.element = h('div.row', { role: 'listitem', 'data-id': id },
            this.#check,
            h('button.body', { 'aria-describedby': textID, 'aria-label': null }, h('span.words', {}, this.#text, this.#sub), this.#quantity),
            h('button.more', {}, icon('plus')),
            h('button.handle', { 'aria-label': t('row.move') }, icon('grip')),
            h('button.edit', { 'aria-label': t('row.edit') }, icon('edit')));
        this.element.row = this;
    }

    /**
     * @param {{canEdit?: boolean, isGone?: boolean, status?: string, usual?: number, tentative?: object, isComing?: boolean, newBy?: object}} extra  `status`: 'queued'
     *   or 'taken' while it is not confirmed; `usual`: its usual place on a trip; `tentative`: what somebody else is about to
     *   change; `isComing`: they add it; `newBy`: who has added it, if it is new to the person
     */
    draw(item, { canEdit = true, isGone = false, status = '', showsAisle = true, usual, tentative = null, isComing = false, newBy = null } = {}) {
        const { quantity = '', note = '', aisle = '' } = item.fields;
        const sub = [note, showsAisle && aisle, usual && t('row.usually', { place: usual })].filter(Boolean).join(' · ');
        const change = tentative && (isComing || differs(item, tentative)) ? tentative : null;
        this.item = item;
        const drawn = [canEdit, item.text, quantity, sub, item.markedOff, isGone, status, isComing, JSON.stringify(change), newBy && nameOf(newBy)].join('\u0000');
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        const { element } = this;
        this.#text.textContent = change?.text ?? item.text;
        this.#sub.textContent = sub;
        this.#quantity.textContent = typeof quantity === 'string' ? quantity : '';
        element.classList.toggle('gone', isGone);
        element.classList.toggle('queued', status === 'queued');
        this.#tell(status);
        this.#mark(this.#ahead?.markedOff ?? item.markedOff);
        this.#grey(item, change);
        if (newBy && !change) this.#show(t('row.newBy', { name: nameOf(newBy) }), newBy);
        element.classList.toggle('news', !!newBy);
        for (const [name, part] of [['more', '.more'], ['move', '.handle'], ['edit', '.edit']]) {
            const button = element.querySelector(part);
            button.setAttribute('aria-label', t(`row.${name}`, { text: item.text }));
            button.hidden = !canEdit;
        }
        // Its place stays, so that quantities stand below each other.
        element.classList.toggle('uncounted', item.markedOff || typeof quantity !== 'string' || stepped(quantity, 1) === quantity);
        for (const button of element.querySelectorAll('button')) {
            button.disabled = isGone || isComing || button === this.#check && !canEdit;
        }
    }

    /** Says how far the person's own change has come. */
    #tell(status) {
        this.#delivery?.remove();
        this.#delivery = status ? h('span.hidden', {}, t(status === 'queued' ? 'tick.queued' : 'tick.service')) : null;
        if (status) this.#sub.after(this.#delivery);
    }

    /** Shows somebody else's change in its place. It takes no room, so no row moves. */
    #grey(item, change) {
        const { classList } = this.element;
        classList.toggle('tentative', !!change);
        classList.toggle('struck', !!change && (change.isDeleted || (change.markedOff ?? item.markedOff)));
        this.#coming?.remove();
        this.#coming = null;
        if (change) this.#show(t(`live.${change.operation}`, { name: nameOf(change.person) }), change.person);
    }

    /** A face beside the circle, and in words what the person has to do with the item. */
    #show(text, person) {
        this.#coming = h('span.coming', {}, h('span.hidden', {}, text), face(person));
        this.#coming.lastElementChild.setAttribute('aria-hidden', 'true');
        this.#text.after(this.#coming);
    }

    /** Shows a mark before the list has it. @returns {(item: object) => void}  from then on the row shows what the list has */
    mark(markedOff) {
        const mark = this.#ahead = { markedOff };
        this.#mark(markedOff);
        return item => {
            // The person may have tapped again.
            if (this.#ahead !== mark) return;
            this.#ahead = null;
            this.#mark(item.markedOff);
        };
    }

    #mark(markedOff) {
        this.#check.setAttribute('aria-checked', markedOff);
        this.element.classList.toggle('done', markedOff);
    }

    get isMarked() { return this.#check.getAttribute('aria-checked') === 'true'; }
}

/** Whether a tentative change would be seen. */
const differs = (item, { isDeleted, markedOff = item.markedOff, text = item.text }) =>
    isDeleted || markedOff !== item.markedOff || text !== item.text;
