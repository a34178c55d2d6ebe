// The frame of the app: the lists beside or before the open list, and the address.

import { fill, h, icon } from '../dom.js';
import { names, t } from '../text.js';
import { paint } from './colours.js';
import { face, nameOf, others } from './people.js';
import { ask, explain, toast } from './sheet.js';
import { failureOf, statusButton } from './status.js';

export class Shell {
    device;
    #root;
    #main = null;
    #screen = null;
    #cards = h('ul.cards');
    #isReady = false;
    /** Set by updates.js. */
    checkForUpdate = () => {};
    /** Goes over to the newest version of the app. */
    update = () => location.reload();

    constructor(device, root) {
        this.device = device;
        this.#root = root;
    }

    /** @returns {Promise<void>}  when the first screen is there */
    start() {
        const { device } = this;
        device.addEventListener('lists', () => {
            this.#renderCards();
            // The list in the address has arrived.
            if (!this.#screen) this.#route();
        });
        device.addEventListener('list', () => this.#renderCardsSoon());
        device.addEventListener('gone', event => location.hash === `#/list/${event.detail.list}` && go(''));
        device.addEventListener('moved', event =>
            location.hash === `#/list/${event.detail.from}` && location.replace(`#/list/${event.detail.to}`));
        device.addEventListener('session', () => {
            this.#outToast?.();
            this.#render();
        });
        device.addEventListener('session-elsewhere', () => location.reload());
        device.addEventListener('progress', () => this.#noteSession());
        device.addEventListener('refused', event =>
            toast(t('refused', { n: event.detail.count }), { isError: true, action: t('look'), onaction: () => open('status', this) }));
        device.addEventListener('trouble', event => toast(explain(event.detail.error), { isError: true, name: 'trouble' }));
        device.addEventListener('superseded', () => toast(t('update.newer'), {
            stays: true, name: 'update', action: t('update.now'), onaction: () => location.reload(),
        }));
        addEventListener('hashchange', () => this.#route());
        addEventListener('keydown', event => this.#key(event));
        return this.#render();
    }

    /** The module is loaded. */
    ready() {
        this.#isReady = true;
        this.#screen?.ready();
        // Folds that came while the app was closed are shown by name.
        for (const id of this.device.rows.keys()) if (!this.device.states.has(id)) this.device.open(id).catch(() => {});
    }

    // MARK: Screens

    async #render() {
        const joining = location.pathname === '/join' ? location.hash.slice(1) : null;
        this.#leaveScreen();
        if (joining !== null || !this.device.session) {
            this.#main = null;
            const { welcome } = await import('./welcome.js');
            return welcome(this, this.#root, joining);
        }
        const side = h('div.side', {},
            h('header.side-head', {},
                h('h1', {}, t('lists.title')),
                h('div.tools', {}, statusButton(this.device, () => open('status', this)), this.#accountButton())),
            h('nav', { 'aria-label': t('lists.title') }, this.#cards),
            h('button.primary.new-list', { onclick: () => open('newlist', this) }, icon('plus'), t('lists.new')));
        const main = h('div.main');
        fill(this.#root, h('main.shell', {}, side, main));
        this.#main = main;
        this.#renderCards();
        this.#route();
        // At hand when a list is opened.
        (globalThis.requestIdleCallback ?? setTimeout)(() => import('./list.js'));
    }

    #accountButton() {
        const { account } = this.device.session;
        const button = h('button.icon-button.account', {
            'aria-label': t('account.title'), title: t('account.title'), onclick: () => open('account', this),
        });
        const circle = face({ account: account.id, name: account.name });
        circle.setAttribute('aria-hidden', 'true');
        button.append(circle);
        return button;
    }

    async #route() {
        if (!this.#main || !this.device.session) return;
        // A notice may lead to the messages of a list.
        const [, id, messages] = location.hash.match(/^#\/list\/([0-9a-f-]{36})(\/messages)?$/) ?? [];
        if (messages) {
            this.#wanted = id;
            history.replaceState(null, '', `#/list/${id}`);
        }
        if (id && id === this.#screen?.id) return this.#openWanted();
        this.#leaveScreen();
        const isKnown = id && this.device.rows.has(id);
        this.#root.firstElementChild?.setAttribute('data-view', isKnown ? 'list' : 'lists');
        for (const link of this.#cards.querySelectorAll('a')) markCurrent(link, id);
        if (!isKnown) {
            document.title = 'Trolley';
            return fill(this.#main, h('div.empty', {}, icon('cart', 'big'), h('p', {}, t('lists.pick'))));
        }
        const { ListScreen } = await import('./list.js');
        if (this.#screen || !this.#main.isConnected || !location.hash.endsWith(id)) return;
        this.#screen = new ListScreen(this, id, this.#main);
        for (const link of this.#cards.querySelectorAll('a')) markCurrent(link, id);
        if (this.#isReady) this.#screen.ready();
        this.#openWanted();
    }

    /** The list whose messages a notice led to. */
    #wanted = null;
    #openWanted() {
        if (this.#wanted !== this.#screen?.id) return;
        this.#wanted = null;
        if (!document.querySelector('dialog .talk')) open('messages', this, this.#screen);
    }

    #leaveScreen() {
        this.#screen?.leave();
        this.#screen = null;
    }

    // MARK: Lists

    #isWaiting = false;
    #renderCardsSoon() {
        if (this.#isWaiting) return;
        this.#isWaiting = true;
        setTimeout(() => { this.#isWaiting = false; this.#renderCards(); }, 60);
    }

    #renderCards() {
        const { device } = this;
        const rows = [...device.rows.values()].sort((a, b) => a.id < b.id ? 1 : -1);
        if (!rows.length) {
            return fill(this.#cards, h('li.no-lists', {}, icon('cart', 'big'), h('h2', {}, t('lists.none')), h('p', {}, t('lists.none.hint'))));
        }
        const current = this.#screen?.id;
        // A card keeps its element, so that the focus stays where it is.
        const known = new Map([...this.#cards.children].map(card => [card.dataset.id, card]));
        fill(this.#cards, rows.map(row => {
            const state = device.states.get(row.id);
            const card = known.get(row.id) ?? h('li', { 'data-id': row.id }, h('a.card', { href: `#/list/${row.id}` }));
            const link = card.firstElementChild;
            const wanted = state ? state.items.filter(item => !item.markedOff).length : null;
            const people = others(row, device.session?.account.id);
            const summary = row.unread > 0 && device.summaries.of(row.id);
            paint(link, state?.colour);
            markCurrent(link, current);
            fill(link, h('span.swatch', { 'aria-hidden': 'true' }),
                h('span.card-text', {}, h('span.card-name', { dir: 'auto' }, state?.name || t('list.unnamed')),
                    h('span.card-sub', {}, wanted === null ? '' : wanted ? t('lists.wanted', { n: wanted }) : t(state.items.length ? 'lists.done' : 'lists.empty'),
                        people.length > 0 && ` · ${t('lists.with', { names: names(people.map(nameOf)) })}`,
                        row.local && ` · ${t('lists.local')}`),
                    summary && h('span.card-sub.summary', { dir: 'auto' }, describe(summary))),
                row.unread > 0 && h('span.badge', { 'aria-label': t('lists.unread', { n: row.unread }) }, String(row.unread)));
            return card;
        }));
    }

    // MARK: Events of the whole app

    #wasOut = false;
    /** Takes the toast of that away. */
    #outToast = null;
    /** The service has ended the session. The lists stay until the person signs in again. */
    #noteSession() {
        // A run that is under way says nothing of the session yet.
        if (['queued', 'sending', 'fetching'].includes(this.device.progress.type)) return;
        const isOut = failureOf(this.device) === 'notAuthenticated';
        if (!isOut) this.#outToast?.();
        if (isOut && !this.#wasOut) {
            this.#outToast = toast(t('session.ended'), {
                stays: true, name: 'session', action: t('signIn'), onaction: () => open('account', this, 'signIn'),
            });
        }
        this.#wasOut = isOut;
    }

    #key(event) {
        if (event.target.closest?.('input, textarea, dialog') || event.altKey) return;
        const isCommand = event.ctrlKey || event.metaKey;
        if (isCommand && event.key.toLowerCase() === 'z') {
            event.preventDefault();
            this.#screen?.changes.revert(event.shiftKey ? 'redo' : 'undo');
        } else if (isCommand && event.key.toLowerCase() === 'y') {
            event.preventDefault();
            this.#screen?.changes.revert('redo');
        }
    }

    /** Asks for confirmation, and signs out. */
    async signOut() {
        const unsent = await this.device.unsent();
        const text = unsent ? t('signOut.unsent', { n: unsent }) : t('signOut.text');
        if (!await ask(t('signOut'), text, t('signOut'), { isDangerous: unsent > 0 })) return false;
        try {
            await this.device.signOut();
            go('');
            return true;
        } catch (error) {
            toast(explain(error), { isError: true });
            return false;
        }
    }
}

/** 'Ben: added 5, marked off 3': what people did in their last sessions. */
const describe = ({ people }) => people.map(({ name, ...counts }) => t('summary.person', {
    name: nameOf({ name }),
    what: COUNTED.filter(key => counts[key] > 0).map(key => t(`summary.${key}`, { n: counts[key] })).join(', '),
})).join(' · ');
const COUNTED = ['added', 'edited', 'markedOff', 'unmarked', 'deleted', 'moved', 'listChanges', 'messages'];

function markCurrent(link, id) {
    if (id && link.hash === `#/list/${id}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
}

export const go = path => { location.hash = path || '#/'; };

/** Opens one of the sheets that are loaded on demand: 'status', 'account', 'newlist', 'share', 'activity', 'listmenu',
 * 'item', 'messages', 'notices'. */
export async function open(name, shell, ...values) {
    const screens = {
        status: () => import('./status-sheet.js'), account: () => import('./account.js'), newlist: () => import('./newlist.js'),
        share: () => import('./share.js'), activity: () => import('./activity.js'), listmenu: () => import('./listmenu.js'),
        item: () => import('./item.js'), messages: () => import('./messages.js'), trips: () => import('./trips.js'),
        notices: () => import('./notices.js'),
    };
    try {
        (await screens[name]()).show(shell, ...values);
    } catch (error) {
        console.warn(error);
        // The service no longer has the file, because this page is older.
        toast(t('update.newer'), { stays: true, name: 'update', action: t('update.now'), onaction: () => shell.update() });
    }
}
