// The head of a list: its title, its tools, planning or shopping, and how far the shopping has come.

import { h, icon, iconButton } from '../dom.js';
import { t } from '../text.js';
import { statusButton } from './status.js';

export class Head {
    element;
    #screen;
    #title = h('h1', { dir: 'auto' });
    #undo;
    #redo;
    #modes;
    #progress = h('p.progress', { hidden: true });
    #isLooking = false;
    /** at.js, once the list was in shopping mode: its button goes with the mode. */
    #at = null;

    /**
     * @param {ListScreen} screen
     * @param {{search: () => void, more: () => void, status: () => void, setShopping: (shopping: boolean) => void}} handlers
     * @param {AbortSignal} signal  when the list is left
     * @param {...HTMLElement} below  what follows in the head
     */
    constructor(screen, { search, more, status, setShopping }, signal, ...below) {
        this.#screen = screen;
        const revert = cause => iconButton(cause, t(cause), () => screen.changes.revert(cause), { class: `icon-button ${cause}` });
        this.#undo = revert('undo');
        this.#redo = revert('redo');
        const mode = (shopping, name, label) => h('button', {
            'aria-pressed': 'false', 'data-mode': shopping ? 'shop' : 'plan', 'aria-label': label, title: label, onclick: () => setShopping(shopping),
        }, icon(name), h('span', {}, label));
        this.#modes = h('div.modes', { role: 'group', 'aria-label': t('list.mode') },
            mode(false, 'list', t('list.plan')), mode(true, 'cart', t('list.shop')));
        this.element = h('header.list-head', {},
            h('a.icon-button.back', { href: '#/', 'aria-label': t('list.back'), title: t('list.back') }, icon('back')),
            h('div.title', {}, this.#title),
            h('div.tools', {}, screen.presence.faces, this.#undo, this.#redo,
                iconButton('search', t('list.search'), search, { class: 'icon-button find' }), iconButton('more', t('list.more'), more)),
            h('div.under', {}, this.#modes, this.#progress, statusButton(screen.device, status, signal)),
            ...below);
    }

    show() {
        const { state, isShopping, elsewhere } = this.#screen;
        this.#title.textContent = state?.name || t('list.unnamed');
        document.title = `${this.#title.textContent} · Trolley`;
        for (const button of this.#modes.children) button.setAttribute('aria-pressed', (button.dataset.mode === 'shop') === isShopping);
        const here = state?.items.filter(({ id }) => !elsewhere.has(id)) ?? [];
        this.#progress.hidden = !isShopping || !here.length;
        this.#progress.textContent = t('shop.progress', { n: here.filter(item => item.markedOff).length, of: here.length });
        if (isShopping) this.#at ??= import('./at.js');
        // It waits for a network.
        this.#at?.then(({ showShop }) => showShop(this.#screen, this.#progress)).catch(() => { this.#at = null; });
        this.#dim();
    }

    /** Dims what there is nothing for, when the frame is painted: a long journal takes a moment. The button keeps the focus. */
    #dim() {
        if (this.#isLooking) return;
        this.#isLooking = true;
        (globalThis.requestIdleCallback ?? setTimeout)(() => {
            this.#isLooking = false;
            const { canEdit, changes } = this.#screen;
            for (const [cause, button] of [['undo', this.#undo], ['redo', this.#redo]]) {
                button.setAttribute('aria-disabled', !canEdit || !changes.has(cause));
            }
        });
    }
}
