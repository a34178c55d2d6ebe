// Adding: one line, many pasted lines, or a suggestion. What is on the list already, or elsewhere, is named.

import { fill, h, icon, iconButton } from '../dom.js';
import { t } from '../text.js';
import { untold } from './sheet.js';
import { keepTyped, typed } from './typed.js';

const SUGGESTIONS = 12;
/** Milliseconds in which nothing else happens. */
const REFRESH_AFTER = 700;
/** The sign in the field for a line end, which a field of one line can't hold. */
const BREAK = '↵';
const LINE_END = /[\n\r\u2028\u2029]/;

export class AddBar {
    element;
    #input;
    #chips = h('div.chips', {
        role: 'group', 'aria-label': t('add.suggestions'), hidden: true,
        // The field keeps the focus, and a phone its keyboard.
        onmousedown: event => event.preventDefault(),
    });
    #add;
    #offer;
    #suggest;
    /** What was being sent before a reload, until the list is open. */
    #left;
    #sending = [];
    /** Texts that could not be added, while others are still being sent. */
    #failed = [];
    #reveal;
    #look;
    /** Where items are that the list doesn't show. Above the suggestions, so that these stay where they are. */
    #where = h('ul.where', { hidden: true, 'aria-label': t('where.title') });
    #isReady = false;
    #list;
    #round = 0;
    #timer = null;

    /**
     * @param {string} list  whose half-typed line stands in the field
     * @param {{add: (text: string) => Promise<number>, offer: (text: string) => Promise<boolean>, suggest: (prefix: string, limit: number) => Promise<object[]>, browse: () => void,
     *   reveal: (item: string) => void, look: (element: HTMLElement, name: string) => void, type: () => void}} handlers
     *   `offer`: takes a pasted recipe, so that it is not added line by line; `suggest`: those with an `item` are on the list already; `look`: says in an element where items of a name are; `type`:
     *   the person types
     */
    constructor(list, { add, offer, suggest, browse, reveal, look, type }) {
        this.#list = list;
        this.#left = typed(`${list} sending`);
        this.#add = add;
        this.#offer = offer;
        this.#suggest = suggest;
        this.#reveal = reveal;
        this.#look = look;
        this.#input = h('input', {
            type: 'text', 'aria-label': t('add.label'), placeholder: t('add.label'), autocomplete: 'off', enterkeyhint: 'done',
            autocapitalize: 'sentences', value: typed(list),
            // Enter ends what an input method composes, and adds nothing yet.
            onkeydown: event => event.isComposing && event.key === 'Enter' && event.preventDefault(),
            oninput: () => { this.#typed(); type(); }, onfocus: () => this.#showSuggestions(), onpaste: event => this.#paste(event),
        });
        this.element = h('form.addbar', {
            onsubmit: event => {
                event.preventDefault();
                const text = this.#input.value.replaceAll(BREAK, '\n');
                if (!text.trim()) return this.#input.focus();
                this.#write('');
                this.#send(text);
            },
        }, this.#where, this.#chips, h('div.addline', {}, this.#input, iconButton('tag', t('browse.title'), browse, {
            class: 'icon-button shelves', onmousedown: event => event.preventDefault(),
        }), h('button.add', { type: 'submit', 'aria-label': t('add') }, icon('plus'))));
    }

    focus() { this.#input.focus(); }

    ready() {
        this.#isReady = true;
        const left = this.#left;
        this.#left = '';
        if (left) this.#send(left);
        this.#showSuggestions();
    }

    /** The list or the purchases may have changed. */
    refresh() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.element.isConnected && this.#typed(), REFRESH_AFTER);
    }

    /** Keeps texts that were sent and are not on the list yet: a reload takes them up again. */
    #keepSending() {
        keepTyped(`${this.#list} sending`, [this.#left, ...this.#failed, ...this.#sending].filter(Boolean).join('\n'));
    }

    /** The line that is being typed, without the lines before it that could not be added. */
    get #line() { return this.#input.value.split(BREAK).at(-1).trim(); }

    /** Empties that line alone. */
    #clearLine() { this.#write(this.#input.value.slice(0, this.#input.value.lastIndexOf(BREAK) + 1)); }

    #write(text) {
        this.#input.value = text;
        keepTyped(this.#list, text);
    }

    /** Puts the texts back that could not be added, before what the person has typed since. Each line stays a line. */
    #putBack() {
        const lines = this.#failed.splice(0).flatMap(text => text.split(LINE_END)).map(line => line.trim());
        this.#write([...lines, this.#input.value].filter(Boolean).join(` ${BREAK} `));
    }

    #typed() {
        keepTyped(this.#list, this.#input.value);
        this.#showSuggestions();
        this.#look(this.#where, this.#line);
    }

    async #send(text, { isPasted = false } = {}) {
        this.#sending.push(text);
        this.#keepSending();
        this.#look(this.#where, this.#line);
        let isTaken = false;
        try {
            // The person may have thought better of it.
            isTaken = isPasted && await this.#isOffered(text) || await this.#add(text) > 0;
        } catch (error) {
            untold(error);
        }
        this.#sending.splice(this.#sending.indexOf(text), 1);
        if (!isTaken) this.#failed.push(text);
        // All at once, so that they stand in their order.
        if (this.#failed.length && !this.#sending.length) this.#putBack();
        this.#keepSending();
        this.#typed();
    }

    /** Whether a pasted text is a recipe that the person chooses from. */
    async #isOffered(text) {
        try {
            return await this.#offer(text);
        } catch (error) {
            console.info('each line is an item', error);
            return false;
        }
    }

    #paste(event) {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        if (!LINE_END.test(text.trim())) return;
        event.preventDefault();
        this.#send(text, { isPasted: true });
    }

    async #showSuggestions() {
        if (!this.#isReady) return;
        const round = ++this.#round;
        const found = await this.#suggest(this.#line, SUGGESTIONS).catch(() => []);
        if (round !== this.#round) return;
        this.#chips.hidden = found.length === 0;
        fill(this.#chips, found.map(({ text, quantity, due, item }) => item ? this.#there(text, item) : h(due ? 'button.chip.due' : 'button.chip', {
            'aria-label': t(due ? 'add.suggestion.due' : 'add.suggestion', { text }),
            onclick: () => {
                this.#clearLine();
                this.#send(quantity ? `${text}, ${quantity}` : text);
            },
        }, icon('plus'), h('span', { dir: 'auto' }, text))));
    }

    /** Names an item that is on the list already. */
    #there(text, item) {
        return h('button.chip.there', {
            'aria-label': t('add.present', { text }),
            onclick: () => {
                this.#clearLine();
                this.#typed();
                this.#reveal(item);
            },
        }, icon('check'), h('span', { dir: 'auto' }, text));
    }
}
