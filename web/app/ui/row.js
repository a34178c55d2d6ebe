// One item's row. Its element stays while the item is on the list.

import { fill, h, icon } from '../dom.js';
import { t } from '../text.js';

export class Row {
    element;
    item = null;
    #check;
    #text;
    #sub;
    #quantity;
    #drawn = '';

    constructor(id, { canEdit }) {
        const textID = `text-${id}`;
        this.#text = h('span.text', { id: textID, dir: 'auto' });
        this.#sub = h('span.sub', { dir: 'auto' });
        this.#quantity = h('span.quantity', { dir: 'auto' });
        this.#check = h('button.check', { role: 'checkbox', 'aria-checked': 'false', 'aria-labelledby': textID, disabled: !canEdit },
            icon('check'));
        this.element = h('li.row', { 'data-id': id },
            this.#check,
            h('button.body', { 'aria-describedby': textID, 'aria-label': null }, h('span.words', {}, this.#text, this.#sub), this.#quantity),
            canEdit && h('button.handle', { 'aria-label': t('row.move') }, icon('grip')),
            canEdit && h('button.edit', { 'aria-label': t('row.edit') }, icon('edit')));
        this.element.row = this;
    }

    /** @param {{isGone?: boolean, status?: string}} extra  `status`: 'queued' or 'taken' while it is not confirmed */
    draw(item, { isGone = false, status = '', showsAisle = true } = {}) {
        const { quantity = '', note = '', aisle = '' } = item.fields;
        const sub = [note, showsAisle && aisle].filter(Boolean).join(' · ');
        const drawn = [item.text, quantity, sub, item.markedOff, isGone, status].join('\u0000');
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        this.item = item;
        const { element } = this;
        this.#text.textContent = item.text;
        this.#sub.textContent = sub;
        this.#quantity.textContent = typeof quantity === 'string' ? quantity : '';
        element.classList.toggle('gone', isGone);
        element.classList.toggle('queued', status === 'queued');
        this.#mark(item.markedOff);
        const handle = element.querySelector('.handle'), edit = element.querySelector('.edit');
        handle?.setAttribute('aria-label', t('row.move', { text: item.text }));
        edit?.setAttribute('aria-label', t('row.edit', { text: item.text }));
        for (const button of element.querySelectorAll('button')) if (isGone) button.disabled = true;
    }

    /** Shows a mark before the list has it. */
    mark(markedOff) {
        this.#drawn = '';
        this.#mark(markedOff);
    }

    #mark(markedOff) {
        this.#check.setAttribute('aria-checked', markedOff);
        this.element.classList.toggle('done', markedOff);
    }

    get isMarked() { return this.#check.getAttribute('aria-checked') === 'true'; }
}
