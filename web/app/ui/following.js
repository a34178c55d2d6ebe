// What others do to an item while its sheet is open. A field that the person has left alone follows; where both changed one, the
// person decides.

import { h } from '../dom.js';
import { t } from '../text.js';
import { nameOf, personOn } from './people.js';
import { announce } from './sheet.js';

/** Entries among which the one is that has just arrived. */
const LOOK_BACK = 100;

export class Following {
    /** The item as the list has it, or had it last. */
    item;
    isGone = false;
    #screen;
    #inputs;
    #showGone;
    #onChange;
    #isSaving = false;
    /** The questions that the person has not answered, by field. */
    #questions = new Map();
    #stop = new AbortController();

    /**
     * @param {object} inputs  the form's fields by name. Their `defaultValue` is what the list has
     * @param {{showGone: (by: string | null) => void, onChange: (item: object) => void}} handlers
     */
    constructor(screen, item, { text, quantity, note, aisle, every, shop }, { showGone, onChange }) {
        this.item = item;
        this.#screen = screen;
        this.#inputs = text ? { text, quantity, note, aisle, every, shop } : {};
        this.#showGone = showGone;
        this.#onChange = onChange;
        screen.device.addEventListener('list', event => event.detail.list === screen.id && this.#follow(), { signal: this.#stop.signal });
    }

    end() { this.#stop.abort(); }

    /** What the person has changed, by field; null: removed. A text can't be. */
    get changed() {
        return new Map(Object.entries(this.#inputs).map(([key, { value, defaultValue }]) => [key, value.trim(), defaultValue])
            .filter(([key, value, before]) => value !== before && (value || key !== 'text')).map(([key, value]) => [key, value || null]));
    }

    /** Leads the person to a question that is open. @returns whether there is one */
    ask() {
        const [question] = this.#questions.values();
        if (!question) return false;
        question.querySelector('button').focus();
        announce(question.firstElementChild.textContent, { isUrgent: true });
        return true;
    }

    /** Saves the person's changes. Until that is done, the list may show what is then taken back. */
    async saving(work) {
        this.#isSaving = true;
        const isSaved = await work;
        this.#isSaving = false;
        if (!isSaved) this.#follow();
        return isSaved;
    }

    async #follow() {
        if (this.#isSaving) return;
        const { state } = this.#screen, now = state?.items.find(({ id }) => id === this.item.id);
        if (!state || !now && this.isGone) return;
        if (!now) {
            this.isGone = true;
            return this.#showGone(await this.#author(entry => entry.operation === 'delete'));
        }
        if (this.isGone) this.#showGone(null);
        this.isGone = false;
        this.item = now;
        this.#onChange(now);
        for (const [key, input] of Object.entries(this.#inputs)) {
            const theirs = key === 'text' ? now.text : String(now.fields[key] ?? ''), before = input.defaultValue;
            if (theirs === before) continue;
            const isTouched = input.value.trim() !== before.trim();
            input.defaultValue = theirs;
            if (!isTouched || input.value.trim() === theirs) this.#settle(key, theirs);
            else this.#question(key, theirs, await this.#author(({ fields }) => fields && key in fields));
        }
    }

    /** Asks below the field whose text counts. */
    #question(key, theirs, name) {
        this.#questions.get(key)?.remove();
        const input = this.#inputs[key];
        const answer = (label, value) => h('button.quiet.small', { onclick: () => { this.#settle(key, value()); input.focus(); } }, label);
        const question = h('div.both', { role: 'group', 'aria-label': t('item.both') },
            h('p', {}, theirs ? t('item.both.theirs', { name, theirs: input.inWords?.(theirs) ?? theirs }) : t('item.both.removed', { name })),
            h('div.actions', {}, answer(t('item.both.take'), () => theirs), answer(t('conflict.keep'), () => input.value)));
        this.#questions.set(key, question);
        input.closest('.field').append(question);
        announce(question.firstElementChild.textContent);
    }

    #settle(key, value) {
        this.#questions.get(key)?.remove();
        this.#questions.delete(key);
        this.#inputs[key].value = value;
    }

    /** The name of the person who made the item's last entry of a kind. */
    async #author(isKind) {
        const { device, id, row } = this.#screen;
        const entries = await device.store.latest(id, LOOK_BACK).catch(() => []);
        const entry = entries.findLast(entry => entry.item === this.item.id && isKind(entry));
        return nameOf(personOn(row, entry?.author) ?? {});
    }
}
