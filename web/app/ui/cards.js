// The lists as cards, and what became of lists that others have taken away.

import { inOrder, isArchived, isPinned } from '../device/places.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { names, t, time } from '../text.js';
import { paint } from './colours.js';
import { nameOf, others } from './people.js';
import { toast } from './sheet.js';
import { keepTyped, typed } from './typed.js';

const RENDER_AFTER = 60;

export class Cards {
    element = h('ul.cards');
    #device;
    #current;
    /** What the store says of lists that have left the device. */
    #notices = [];
    #isWaiting = false;
    /** Whether a card is being pressed. A browser loses the tap if what was pressed is drawn anew before it ends. */
    #isPressed = false;
    #arrange;
    #archive = h('li', {}, h('details.archive', {}, h('summary', {}), h('ul.cards')));

    /**
     * @param {() => string | undefined} current  the id of the open list
     * @param {() => void} arrange  opens the sheet in which lists are arranged
     */
    constructor(device, current, arrange) {
        this.#device = device;
        this.#current = current;
        this.#arrange = h('li.arrange', {}, h('button.link', { onclick: arrange }, t('lists.arrange')));
        this.element.addEventListener('pointerdown', () => {
            const press = new AbortController();
            this.#isPressed = true;
            for (const type of ['pointerup', 'pointercancel']) {
                addEventListener(type, () => { this.#isPressed = false; press.abort(); }, { signal: press.signal });
            }
        });
    }

    renderSoon() {
        if (this.#isWaiting) return;
        this.#isWaiting = true;
        setTimeout(() => { this.#isWaiting = false; this.render(); }, RENDER_AFTER);
    }

    render() {
        if (this.#isPressed) return this.renderSoon();
        const { element } = this, all = inOrder(this.#device.rows.values());
        const rows = all.filter(row => !isArchived(row)), archived = all.filter(isArchived);
        // A card keeps its element, so that the focus stays where it is.
        const known = new Map([...element.querySelectorAll('li[data-id]')].map(card => [card.dataset.id, card]));
        const cards = some => some.map(row => this.#card(row, known.get(row.id)));
        const [summary, inside] = this.#archive.firstElementChild.children, unread = archived.reduce((sum, row) => sum + (row.unread ?? 0), 0);
        fill(summary, t('lists.archive', { n: archived.length }),
            unread > 0 && h('span.badge', { 'aria-label': t('lists.unread', { n: unread }) }, String(unread)));
        fill(inside, cards(archived));
        fill(element, this.#notices.map(notice => known.get(`notice ${notice.key}`) ?? this.#notice(notice)),
            cards(rows), archived.length > 0 && this.#archive, all.length > 1 && this.#arrange,
            !all.length && h('li.no-lists', {}, icon('cart', 'big'), h('h2', {}, t('lists.none')), h('p', {}, t('lists.none.hint'))));
        this.markCurrent();
    }

    markCurrent() {
        const id = this.#current();
        for (const link of this.element.querySelectorAll('a')) {
            if (id && link.hash === `#/list/${id}`) link.setAttribute('aria-current', 'page');
            else link.removeAttribute('aria-current');
        }
    }

    #card(row, known) {
        const { states, session, summaries } = this.#device, state = states.get(row.id);
        const card = known ?? h('li', { 'data-id': row.id }, h('a.card', { href: `#/list/${row.id}` }));
        const link = card.firstElementChild;
        const wanted = state ? state.items.filter(item => !item.markedOff).length : null;
        const people = others(row, session?.account.id);
        const summary = row.unread > 0 && summaries.of(row.id);
        paint(link, state?.colour);
        fill(link, h('span.swatch', { 'aria-hidden': 'true' }),
            h('span.card-text', {}, h('span.card-name', { dir: 'auto' }, state?.name || t('list.unnamed'),
                isPinned(row) && h('span.pinned', { role: 'img', 'aria-label': t('lists.pinned') }, icon('pin'))),
                h('span.card-sub', {}, wanted === null ? '' : wanted ? t('lists.wanted', { n: wanted }) : t(state.items.length ? 'lists.done' : 'lists.empty'),
                    people.length > 0 && ` · ${t('lists.with', { names: names(people.map(nameOf)) })}`,
                    row.local && ` · ${t('lists.local')}`),
                summary && h('span.card-sub.summary', { dir: 'auto' }, describe(summary))),
            row.unread > 0 && h('span.badge', { 'aria-label': t('lists.unread', { n: row.unread }) }, String(row.unread)));
        return card;
    }

    // MARK: Lists that have left

    /** Shows them. @param {string} [gone]  a list that was open and has just gone: then a message stays, too */
    async showNotices(gone) {
        ({ notices: this.#notices } = await this.#device.store.queues());
        this.render();
        const notice = this.#notices.find(({ list }) => list === gone);
        if (notice) toast(sentence(notice), { stays: true, name: `gone ${gone}` });
    }

    #notice(notice) {
        const { key, list, keptAside, at } = notice, line = typed(list);
        return h('li', { 'data-id': `notice ${key}` }, h('div.notice-card', {}, icon('alert'),
            h('span.card-text', {}, h('span', { dir: 'auto' }, sentence(notice)),
                line && h('span.card-sub', { dir: 'auto' }, t('gone.typed', { text: line })),
                h('span.card-sub', {}, [time(at), keptAside && t('gone.kept', { n: keptAside })].filter(Boolean).join(' · '))),
            iconButton('close', t('status.dismiss'), async () => {
                if (!await this.#device.dismiss('notices', key)) return;
                keepTyped(list, '');
                await this.showNotices();
            })));
    }
}

const sentence = ({ reason, listName }) => t(`gone.${reason}`, { name: listName ?? t('list.unnamed') });

/** 'Ben: added 5, marked off 3': what people did in their last sessions. */
const describe = ({ people }) => people.map(({ name, ...counts }) => t('summary.person', {
    name: nameOf({ name }),
    what: COUNTED.filter(key => counts[key] > 0).map(key => t(`summary.${key}`, { n: counts[key] })).join(', '),
})).join(' · ');
const COUNTED = ['added', 'edited', 'markedOff', 'unmarked', 'deleted', 'moved', 'listChanges', 'messages'];
