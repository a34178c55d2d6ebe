// The strips above the rows: what was said, and changes of others that wait to be shown.

import { h, icon } from '../dom.js';
import { isolate, names, t } from '../text.js';
import { nameOf, personOn } from './people.js';
import { announce } from './sheet.js';

/** Messages that are counted at the most. */
const COUNTED = 100;

export class Strips {
    #screen;
    /** The number of messages by others that the person has not seen. */
    unheard = 0;
    #talk;
    #count = h('span.badge', { role: 'img', hidden: true });
    #notice;

    /** @param {{openTalk: () => void, showWaiting: () => void}} handlers */
    constructor(screen, { openTalk, showWaiting }) {
        this.#screen = screen;
        this.#talk = h('button.strip', { hidden: true, onclick: openTalk }, icon('talk'), h('span', { dir: 'auto' }), this.#count);
        this.#notice = h('div.notice', { hidden: true }, icon('bell'), h('span', { dir: 'auto' }),
            h('button', { onclick: showWaiting }, t('notice.show')));
    }

    get elements() { return [this.#talk, this.#notice]; }

    /** @param {OpenedList} [list]  once it is open */
    show(list) {
        this.#showTalk(list);
        this.#showNotice(list?.waiting ?? []);
    }

    /** What others have said since the messages were open here, otherwise what is pinned. */
    #showTalk(list) {
        const { account: person, row } = this.#screen;
        const unheard = list ? newsIn(list, row.heard ?? 0, person) : [], news = unheard.at(-1);
        this.unheard = unheard.length;
        this.#count.hidden = this.unheard < 2;
        this.#count.textContent = this.unheard;
        this.#count.setAttribute('aria-label', t('talk.unheard', { n: this.unheard }));
        const shown = news ?? list?.handle.messages({ pinned: true, person }).messages.at(-1);
        this.#talk.hidden = !shown;
        if (!shown) return;
        this.#talk.firstElementChild.replaceWith(icon(news ? 'talk' : 'pin'));
        const author = nameOf(personOn(row, shown.author) ?? {});
        say(this.#talk.children[1], shown.author === person ? shown.text : `${isolate(author)}: ${shown.text}`, !!news);
    }

    /** In shopping mode, other people's additions wait above the rows, and move none of them. */
    #showNotice(waiting) {
        const added = waiting.filter(entry => entry.operation === 'add');
        const isHidden = !this.#screen.isShopping || waiting.length === 0;
        const text = added.length
            ? t('notice.added', { n: added.length, names: names(added.slice(0, 3).map(entry => entry.fields?.text ?? '')) })
            : t('notice.moved', { n: waiting.length });
        this.#notice.hidden = isHidden;
        say(this.#notice.querySelector('span'), isHidden ? '' : text);
    }
}

/** The messages of others after a sequence, among the last ones. */
const newsIn = (list, heard, person) =>
    list.handle.messages({ limit: COUNTED, person }).messages.filter(({ author, sequence = 0 }) => author !== person && sequence > heard);

/** Writes a text, and announces it if it is new. */
function say(element, text, isNews = true) {
    if (element.textContent === text) return;
    element.textContent = text;
    if (text && isNews) announce(text);
}
