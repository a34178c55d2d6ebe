// Searching the open list, and saying where items are that it doesn't show.

import { h } from '../dom.js';
import { t } from '../text.js';
import { toast } from './sheet.js';

/** How many lines say where items are that a search doesn't find. */
const PLACES = 5;

export class Search {
    field = h('input.search', {
        type: 'search', hidden: true, placeholder: t('list.search'), 'aria-label': t('list.search'), autocomplete: 'off',
        oninput: () => this.#filter(), onkeydown: event => event.key === 'Escape' && this.end(),
    });
    elsewhere = h('ul.where', { hidden: true, 'aria-label': t('where.title') });
    #screen;
    /** where.js, once it is needed. */
    #telling = null;

    constructor(screen) { this.#screen = screen; }

    get isOn() { return !this.field.hidden && !!this.field.value; }

    /** Begins to search, or ends it. */
    toggle() {
        if (!this.field.hidden) return this.end();
        this.field.hidden = false;
        this.field.focus();
    }

    /** The list has changed. */
    refresh() { if (this.field.value) this.#filter(); }

    end() {
        if (this.field.hidden) return;
        this.field.value = '';
        this.field.hidden = true;
        this.#filter();
    }

    async #filter() {
        const text = this.field.value.trim(), screen = this.#screen;
        const list = await screen.device.open(screen.id);
        const found = text ? new Set(list.handle.found(text)) : null;
        screen.rows.filter(found);
        screen.showEmpty();
        this.tellWhere(this.elsewhere, text, () => screen.state.items.filter(({ id }) => found?.has(id)), PLACES);
    }

    /** Something was added. Says so if the search hides it. */
    async noteAdded(item, text) {
        if (!this.isOn) return;
        await this.#filter();
        if (this.#screen.rows.row(item)) return;
        toast(t('search.hides', { text }), { name: 'search', action: t('look'), onaction: () => { this.end(); this.#screen.rows.reveal(item); } });
    }

    /** Says in an element where items of a name are that are not among those that the list shows. */
    tellWhere(element, name, shown, limit) {
        if (!name && !this.#telling) return;
        this.#telling ??= import('./where.js');
        const { device, id } = this.#screen;
        this.#telling.then(({ tellWhere }) => tellWhere(element, device, id, name, shown(), limit), () => { this.#telling = null; });
    }
}
