// The rows of a list. In shopping mode nothing moves: rows that are marked off, unmarked or deleted by others keep their places
// until the list is tidied.

import { fill, h } from '../dom.js';
import { t } from '../text.js';
import { Row } from './row.js';

/** The milliseconds of a frame for drawing a long list; the rest follows in later frames. */
const SLICE = 9;

const keyOf = text => text.toLowerCase().split(/[ \t\u00a0]+/).filter(Boolean).join(' ');

export class Rows {
    element = h('div.rows-frame');
    #canEdit;
    #rows = new Map();
    #state = null;
    #isShopping = false;
    #unconfirmed = new Map();
    /** The ids of the items that are shown as finished. */
    #finished = new Set();
    /** Items that others have deleted, with the item above each. */
    #gone = new Map();
    /** Sections by key. */
    #sections = new Map();
    #only = null;
    #job = 0;

    constructor({ canEdit }) { this.#canEdit = canEdit; }

    row(id) { return this.#rows.get(id); }

    /** The item ids in the order on the screen, from the top. */
    get order() { return [...this.element.querySelectorAll('.row:not(.gone)')].map(row => row.dataset.id); }

    /** Whether tidying would move or remove a row. */
    get isUntidy() {
        return this.#gone.size > 0 || !!this.#state?.items.some(item => item.markedOff !== this.#finished.has(item.id));
    }

    /**
     * @param {object} state  what the list shows
     * @param {{isShopping: boolean, unconfirmed: Map, tidy: boolean, own?: Set<string>}} options  `own`: deleted by the person
     */
    show(state, { isShopping, unconfirmed = this.#unconfirmed, tidy = false }) {
        const before = this.#state;
        const modeChanged = isShopping !== this.#isShopping;
        this.#isShopping = isShopping;
        this.#state = state;
        this.#unconfirmed = unconfirmed;
        if (!before || tidy || modeChanged) {
            this.#finished = new Set(state.items.filter(item => item.markedOff).map(item => item.id));
            this.#gone.clear();
        } else {
            this.#keepPlaces(before, state);
        }
        this.#draw();
    }

    /** Shows these items alone; null: all. */
    filter(ids) {
        this.#only = ids;
        this.#draw();
    }

    #keepPlaces(before, state) {
        const here = new Set(state.items.map(item => item.id)), known = new Set(before.items.map(item => item.id));
        for (const item of state.items) if (!known.has(item.id) && item.markedOff) this.#finished.add(item.id);
        for (const id of this.#gone.keys()) if (here.has(id)) this.#gone.delete(id);
        if (!this.#isShopping) return;
        let above = null;
        for (const item of before.items) {
            if (!here.has(item.id) && !this.#gone.has(item.id)) this.#gone.set(item.id, { item, above });
            above = item.id;
        }
    }

    #items() {
        const items = this.#state.items.filter(item => !this.#only || this.#only.has(item.id));
        for (const { item, above } of this.#gone.values()) {
            const index = above === null ? 0 : items.findIndex(other => other.id === above) + 1;
            items.splice(index, 0, item);
        }
        return items;
    }

    /** @returns {{key: string, title: string | null, items: object[]}[]} */
    #layout() {
        const wanted = [], finished = [];
        for (const item of this.#items()) (this.#finished.has(item.id) ? finished : wanted).push(item);
        const sections = this.#isShopping ? this.#byAisle(wanted) : [{ key: 'wanted', title: null, items: wanted }];
        if (finished.length) sections.push({ key: 'finished', title: t('list.finished', { n: finished.length }), items: finished });
        return sections;
    }

    /** As `[ShownRow].byAisle`: aisles in the list's order, then other aisles as they occur, then items without one. */
    #byAisle(items) {
        const groups = new Map((this.#state.aisles ?? []).map(aisle => [keyOf(aisle), { title: aisle, items: [] }]));
        const without = [];
        for (const item of items) {
            const aisle = item.fields.aisle, key = aisle && keyOf(aisle);
            if (!key) without.push(item);
            else if (groups.has(key)) groups.get(key).items.push(item);
            else groups.set(key, { title: aisle, items: [item] });
        }
        const sections = [...groups].filter(([, group]) => group.items.length).map(([key, group]) => ({ key: `aisle ${key}`, ...group }));
        if (without.length) sections.push({ key: 'wanted', title: sections.length ? t('list.noAisle') : null, items: without });
        return sections;
    }

    #draw() {
        const job = ++this.#job;
        const steps = this.#steps(this.#layout());
        const run = () => {
            if (job !== this.#job) return;
            const until = performance.now() + SLICE;
            // A hidden page has no frames, neither to wait for nor to protect.
            while (document.hidden || performance.now() < until) if (steps.next().done) return;
            requestAnimationFrame(run);
        };
        run();
    }

    /** Updates the elements, some at a time. */
    * #steps(sections) {
        const used = new Set(), places = [];
        for (const { key, title, items } of sections) {
            const section = this.#section(key);
            fill(section.firstElementChild, title ?? '').hidden = title === null;
            places.push(section);
            for (const item of items) used.add(item.id);
        }
        for (const [key, section] of this.#sections) {
            if (places.includes(section)) continue;
            section.remove();
            this.#sections.delete(key);
        }
        for (const [id, row] of this.#rows) {
            if (used.has(id)) continue;
            row.element.remove();
            this.#rows.delete(id);
        }
        places.forEach((section, index) => {
            if (this.element.children[index] !== section) place(section, this.element, this.element.children[index] ?? null);
        });
        for (const [index, { items }] of sections.entries()) {
            const list = places[index].lastElementChild;
            let next = list.firstElementChild;
            for (const item of items) {
                let row = this.#rows.get(item.id);
                if (!row) this.#rows.set(item.id, row = new Row(item.id, { canEdit: this.#canEdit }));
                row.draw(item, {
                    isGone: this.#gone.has(item.id), status: this.#unconfirmed.get(item.id), showsAisle: !this.#isShopping,
                });
                if (row.element === next) next = next.nextElementSibling;
                else place(row.element, list, next);
                yield;
            }
        }
    }

    #section(key) {
        let section = this.#sections.get(key);
        if (!section) {
            const id = `section-${key.replace(/[^\w]/g, '-')}`;
            section = h('section.rows', { class: key === 'finished' ? 'rows finished' : 'rows' }, h('h2', { id }), h('ul'));
            this.#sections.set(key, section);
        }
        return section;
    }
}

/** Inserts an element before another. Restores the keyboard's focus inside it, which the browser would remove. */
function place(element, parent, next) {
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    parent.insertBefore(element, next);
    focused?.focus({ preventScroll: true });
}
