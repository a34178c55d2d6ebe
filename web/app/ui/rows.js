// The rows of a list. In shopping mode nothing moves: rows that are marked off, unmarked or deleted by others keep their places
// until the list is tidied.

import { keyOf } from '../device/keys.js';
import { fill, h, set } from '../dom.js';
import { t } from '../text.js';
import { foldButton } from './fold.js';
import { Groups, place } from './groups.js';
import { Row } from './row.js';

/** The milliseconds of a frame for drawing a long list; the rest follows in later frames. */
const SLICE = 9;
/** Milliseconds in which a person may not have seen yet that somebody else's mark has arrived. */
const JUST = 1000;

export class Rows {
    element = h('div.rows-frame');
    #canEdit = true;
    #rows = new Map();
    #state = null;
    #isShopping = false;
    #unconfirmed = new Map();
    /** Others' changes that are not on the list yet, by item. */
    #tentative = new Map();
    /** Who has added what is new to the person, by item. */
    #newBy = new Map();
    /** The ids of the items that are shown as finished. */
    #finished = new Set();
    /** Items that others have deleted, with the item above each. */
    #gone = new Map();
    /** Items that others are adding, with the item above each: the last one when it was first seen. */
    #coming = new Map();
    /** When others' marks arrived, by item. */
    #marked = new Map();
    /** Sections by key. */
    #sections = new Map();
    #only = null;
    /** The ids of items that are bought in another shop, and of those among them that are shown all the same. */
    #elsewhere = [];
    #called = new Set();
    #job = 0;
    #arrange;
    /** The usual places of items on past trips, by id. */
    #usual = new Map();

    #folds;

    /**
     * @param {{arrange: (items: object[]) => {groups: {aisle: string | null, rows: {id: string, usual: number | null}[]}[], elsewhere: string[]} | null, folds: {get: () => boolean, set: (isFolded: boolean) => void}}} options
     *   `arrange`: the order of rows in shopping mode, learned or of a shop; null: there is none; `folds`: whether what is done is folded
     */
    constructor({ arrange, folds }) {
        this.#arrange = arrange;
        this.#folds = folds;
    }

    row(id) { return this.#rows.get(id); }

    /** The item above a place: the given one, or the next above it that is on the list already. */
    above(id) {
        const items = this.#items();
        for (let index = items.findIndex(item => item.id === id); index >= 0; index--) {
            if (!this.isComing(items[index].id)) return items[index].id;
        }
        return null;
    }

    /** The item ids in the order on the screen, from the top. */
    get order() { return [...this.element.querySelectorAll('.row:not(.gone)')].map(row => row.dataset.id); }

    /** The ids of an item's section, from the top: itself and those among which it can be moved. */
    beside(id) {
        const list = this.row(id)?.element.closest('.items');
        if (!list || list.closest('.finished')) return [];
        return [...list.querySelectorAll('.row')].map(row => row.dataset.id).filter(other => !this.isComing(other) && !this.#gone.has(other));
    }

    /** Focuses a part of a row, otherwise the place of all rows. */
    focus(id, part = 'check') {
        const row = this.row(id)?.element;
        for (const place of [row?.querySelector(`.${part}`), row?.querySelector('.body'), this.element.parentElement]) {
            place?.focus();
            if (place && document.activeElement === place) return;
        }
    }

    /** Brings a row into sight, and marks it as new for a moment. What is bought elsewhere gets a row. */
    reveal(id) {
        if (this.#elsewhere.includes(id) && !this.#called.has(id)) {
            this.#called.add(id);
            this.#draw();
        }
        requestAnimationFrame(() => {
            const element = this.row(id)?.element;
            element?.scrollIntoView({ block: 'nearest' });
            element?.classList.add('new');
            setTimeout(() => element?.classList.remove('new'), 1200);
        });
    }

    /** Whether somebody else's mark has just arrived. A second tap is meant as one. */
    takeJustMarked(id) {
        const at = this.#marked.get(id);
        this.#marked.delete(id);
        return performance.now() < at + JUST;
    }

    /** Whether tidying would move or remove a row. */
    get isUntidy() {
        return this.#gone.size > 0 || !!this.#state?.items.some(item => item.markedOff !== this.#finished.has(item.id));
    }

    /**
     * @param {object} state  what the list shows
     * @param {{canEdit: boolean, isShopping: boolean, unconfirmed: Map, tidy: boolean, tentative: Map, newBy: Map}} options
     */
    show(state, { canEdit, isShopping, unconfirmed = this.#unconfirmed, tidy = false, tentative = new Map(), newBy = new Map() }) {
        const before = this.#state;
        const modeChanged = isShopping !== this.#isShopping;
        this.#canEdit = canEdit;
        this.#isShopping = isShopping;
        this.#state = state;
        this.#unconfirmed = unconfirmed;
        this.#tentative = tentative;
        this.#newBy = newBy;
        if (!before || tidy || modeChanged) {
            this.#finished = new Set(state.items.filter(item => item.markedOff).map(item => item.id));
            this.#gone.clear();
            this.#called.clear();
        } else {
            this.#keepPlaces(before, state);
        }
        this.#keepComing();
        this.#draw();
    }

    /** What a new item goes below, if that is an item on its way; otherwise undefined. `state`: the list, which may be newer than the rows. */
    below(state) {
        const last = this.#items(state).at(-1)?.id;
        return this.isComing(last) ? last : undefined;
    }

    /** Shows these items alone; null: all. */
    filter(ids) {
        this.#only = ids;
        this.#draw();
    }

    #keepPlaces(before, state) {
        const here = new Set(state.items.map(item => item.id)), known = new Map(before.items.map(item => [item.id, item]));
        for (const item of state.items) {
            if (!known.has(item.id) && item.markedOff) this.#finished.add(item.id);
            if (item.markedOff && known.get(item.id)?.markedOff === false && !this.#unconfirmed.has(item.id)) this.#marked.set(item.id, performance.now());
        }
        for (const id of this.#gone.keys()) if (here.has(id)) this.#gone.delete(id);
        if (!this.#isShopping) return;
        let above = null;
        for (const item of before.items) {
            if (!here.has(item.id) && !this.#gone.has(item.id)) this.#gone.set(item.id, { item, above });
            above = item.id;
        }
    }

    /** New items go to the end, and those that others are adding keep the place that they had there. */
    #keepComing() {
        for (const id of this.#coming.keys()) if (!this.isComing(id)) this.#coming.delete(id);
        for (const id of this.#tentative.keys()) {
            if (this.isComing(id) && !this.#coming.has(id)) this.#coming.set(id, this.#items().at(-1)?.id ?? null);
        }
    }

    #items(state = this.#state) {
        const items = [...state.items];
        for (const { item, above } of this.#gone.values()) {
            const index = above === null ? 0 : items.findIndex(other => other.id === above) + 1;
            items.splice(index, 0, item);
        }
        // While shopping they would move rows.
        if (!this.#isShopping && !this.#only) {
            for (const [id, above] of this.#coming) {
                if (items.some(item => item.id === id)) continue;
                const index = above === null ? 0 : items.findIndex(other => other.id === above) + 1 || items.length;
                items.splice(index, 0, { id, text: this.#tentative.get(id).text ?? '', markedOff: false, fields: {} });
            }
        }
        return items;
    }

    /** Whether somebody else is adding this item, and it isn't on the list yet. */
    isComing(id) { return this.#tentative.get(id)?.isAdded && !this.#state.items.some(item => item.id === id); }

    /** @returns {{key: string, title: string | null, items: object[]}[]} */
    #layout() {
        const all = this.#items(), isWanted = item => !this.#finished.has(item.id);
        const shown = all.filter(item => !this.#only || this.#only.has(item.id) || this.#gone.has(item.id));
        const wanted = shown.filter(isWanted), finished = shown.filter(item => !isWanted(item));
        this.#usual.clear();
        this.#elsewhere = [];
        const sections = this.#isShopping ? this.#learned(all.filter(isWanted), wanted) ?? this.#byAisle(wanted)
            : [{ key: 'wanted', title: null, items: wanted }];
        if (finished.length) sections.push({ key: 'finished', title: t('list.finished', { n: finished.length }), items: finished });
        return sections;
    }

    /** The groups of the module. Those of the last time may be shown until it is loaded, and lack what is new since. */
    #learned(all, shown) {
        const arranged = this.#arrange(all);
        if (!arranged) return null;
        const rest = new Map(shown.map(item => [item.id, item])), sections = [];
        for (const { aisle, rows } of arranged.groups) {
            const known = rows.filter(({ id }) => rest.has(id));
            for (const { id, usual } of known) if (usual) this.#usual.set(id, usual);
            if (known.length) sections.push({ key: aisle === null ? 'wanted' : `aisle ${keyOf(aisle)}`, title: aisle, items: known.map(({ id }) => rest.get(id)) });
            for (const { id } of known) rest.delete(id);
        }
        // They are only counted, unless the person looks for them.
        this.#elsewhere = arranged.elsewhere;
        const elsewhere = arranged.elsewhere.filter(id => rest.has(id) && (this.#only || this.#called.has(id))).map(id => rest.get(id));
        for (const id of arranged.elsewhere) rest.delete(id);
        if (rest.size && sections.at(-1)?.key !== 'wanted') sections.push({ key: 'wanted', title: null, items: [] });
        if (rest.size) sections.at(-1).items.push(...rest.values());
        if (sections.length > 1 && sections.at(-1).key === 'wanted') sections.at(-1).title = t('list.noAisle');
        const { length: n } = this.#only ? elsewhere : arranged.elsewhere;
        if (n) sections.push({ key: 'elsewhere', title: t('shop.elsewhere', { n }), items: elsewhere });
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
            fill(section.querySelector('.fold span, h2:not(:has(.fold))'), title ?? '');
            section.firstElementChild.hidden = title === null;
            // A list without items is none.
            set(section.lastElementChild, { role: items.length ? 'list' : null });
            places.push(section);
            for (const item of items) used.add(item.id);
        }
        for (const [key, section] of this.#sections) {
            if (places.includes(section)) continue;
            section.remove();
            this.#sections.delete(key);
        }
        this.#passFocusOn(id => used.has(id) && !this.#gone.has(id));
        for (const [id, row] of this.#rows) {
            if (used.has(id)) continue;
            row.element.remove();
            this.#rows.delete(id);
        }
        places.forEach((section, index) => {
            if (this.element.children[index] !== section) place(section, this.element, this.element.children[index] ?? null);
        });
        for (const [index, { items }] of sections.entries()) {
            const groups = new Groups(places[index].lastElementChild);
            for (const item of items) {
                let row = this.#rows.get(item.id);
                if (!row) this.#rows.set(item.id, row = new Row(item.id));
                row.draw(item, {
                    canEdit: this.#canEdit, isGone: this.#gone.has(item.id), status: this.#unconfirmed.get(item.id), showsAisle: !this.#isShopping,
                    usual: this.#usual.get(item.id), tentative: this.#tentative.get(item.id), isComing: this.isComing(item.id),
                    newBy: this.#newBy.get(item.id),
                });
                groups.add(row.element);
                yield;
            }
            groups.end();
        }
    }

    /** If the row with the focus goes, the nearest one that stays gets it. */
    #passFocusOn(stays) {
        const focused = document.activeElement, row = this.element.contains(focused) && focused.closest('.row');
        if (!row || stays(row.dataset.id)) return;
        const rows = [...this.element.querySelectorAll('.row')], index = rows.indexOf(row);
        const next = [...rows.slice(index), ...rows.slice(0, index).reverse()].find(other => stays(other.dataset.id));
        this.focus(next?.dataset.id, focused.classList[0]);
    }

    #section(key) {
        let section = this.#sections.get(key);
        if (!section) {
            const id = `section-${key.replace(/[^\w]/g, '-')}`;
            section = h('section.rows', { class: key === 'finished' ? 'rows finished' : 'rows' },
                h('h2', { id }, key === 'finished' && foldButton(this.#folds)), h('div.items'));
            this.#sections.set(key, section);
        }
        return section;
    }
}
