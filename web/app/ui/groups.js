// Rows in groups: the browser lays out and paints only the groups near the screen. With each row by itself it would look at all
// of them in every frame.

import { h } from '../dom.js';

/** The rows of a group, and those of two groups that become one. Groups otherwise stay while rows come and go, so that few rows move. */
const MOST = 40, FEW = 20;

export class Groups {
    #list;
    #group = null;
    #count = 0;
    #next = null;

    /** @param {HTMLElement} list  to be filled from the top */
    constructor(list) {
        this.#list = list;
        for (const group of list.querySelectorAll('.group:empty')) group.remove();
    }

    /** Puts the next row in its place. */
    add(row) {
        const own = row.parentElement, isNext = own && own === this.#following;
        if (!this.#group || this.#count >= MOST || isNext && this.#count + own.children.length > FEW) this.#begin(isNext ? own : h('div.group'));
        if (row === this.#next) this.#next = row.nextElementSibling;
        else place(row, this.#group, this.#next);
        if (own?.matches('.group:empty')) own.remove();
        this.#count += 1;
    }

    /** All rows are there. */
    end() { this.#group?.style.setProperty('--rows', this.#count); }

    get #following() { return this.#group ? this.#group.nextElementSibling : this.#list.firstElementChild; }

    #begin(group) {
        this.end();
        const following = this.#following;
        if (group !== following) place(group, this.#list, following);
        this.#group = group;
        this.#count = 0;
        this.#next = group.firstElementChild;
    }
}

/** Inserts an element before another. Restores the keyboard's focus inside it, which the browser would remove. */
export function place(element, parent, next) {
    const focused = element.contains(document.activeElement) ? document.activeElement : null;
    parent.insertBefore(element, next);
    focused?.focus({ preventScroll: true });
}
