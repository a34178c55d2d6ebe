// The frame of the app: the lists beside or before the open list, and the address.

import { fill, h, icon, iconButton, set } from '../dom.js';
import { t } from '../text.js';
import { go } from './back.js';
import { Cards } from './cards.js';
import { face } from './people.js';
import { ask, explain, raiseToasts, toast } from './sheet.js';
import { failureOf, statusButton } from './status.js';
import { typesAs } from './typed.js';

export class Shell {
    device;
    #root;
    #main = null;
    #screen = null;
    #cards;
    /** Ends what belongs to the present frame. */
    #stop = new AbortController();
    #isReady = false;
    /** The people of each list, to tell what changes. */
    #shares = new Map();
    /** Whether somebody has been signed in on this page. */
    #wasIn = false;
    /** A list that has just been made: the person goes on with its items. */
    typesIn = null;
    /** An item that a search has found, with its list: its row is shown when the list is. */
    found = null;
    /** Set by updates.js. */
    checkForUpdate = () => {};
    /** Goes over to the newest version of the app. */
    update = () => location.reload();

    constructor(device, root) {
        this.device = device;
        this.#root = root;
        this.#cards = new Cards(device, () => this.#screen?.id, () => open('arrange', this));
    }

    /** @returns {Promise<void>}  when the first screen is there */
    start() {
        const { device } = this;
        for (const row of device.rows.values()) this.#noteShare(row.id);
        device.addEventListener('lists', () => {
            this.#cards.render();
            // The list in the address has arrived.
            if (!this.#screen) this.#route();
        });
        device.addEventListener('list', event => {
            this.#cards.renderSoon();
            this.#noteShare(event.detail.list);
        });
        device.addEventListener('gone', event => this.#noteGone(event.detail.list));
        device.addEventListener('conflict', async event => (await import('./conflict.js')).tellConflict(device, event.detail));
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
        // Every browser's words for a missing file have this one.
        addEventListener('unhandledrejection', ({ reason }) => /import/i.test(reason)
            && toast(t('failure.module'), { isError: true, name: 'module', action: t('failure.again'), onaction: () => location.reload() }));
        if (!['/', '/join'].includes(location.pathname)) import('./addresses.js').then(({ leaveNothing }) => leaveNothing(), () => {});
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
        this.#cards.showNotices().catch(() => { /* The device tells of broken storage. */ });
    }

    // MARK: Screens

    async #render() {
        const { session } = this.device;
        typesAs(session?.account.id ?? null);
        this.#wasIn ||= !!session && !session.isAlone;
        const joining = location.pathname === '/join' ? location.hash.slice(1) : null;
        this.#leaveScreen();
        this.#stop.abort();
        this.#stop = new AbortController();
        if (joining !== null || !session) {
            this.#main = null;
            const { welcome } = await import('./welcome.js');
            return welcome(this, this.#root, joining, { isKnown: this.#wasIn && !session });
        }
        const side = h('div.side', {},
            h('header.side-head', {},
                h('h1', {}, t('lists.title')),
                h('div.tools', {}, iconButton('search', t('find.title'), async () => (await import('./find.js')).toggle(this, side), { class: 'icon-button find-button' }),
                    statusButton(this.device, () => open('status', this), this.#stop.signal), this.#accountButton())),
            h('nav', { 'aria-label': t('lists.title') }, this.#cards.element),
            h('button.primary.new-list', { onclick: () => open('newlist', this) }, icon('plus'), t('lists.new')));
        const main = h('div.main');
        fill(this.#root, h('main.shell', {}, side, main));
        import('./gestures.js').then(({ watchPull }) => watchPull(this.#cards.element.parentElement, () => this.device.sync('manual')), () => {});
        this.#main = main;
        this.#cards.render();
        this.#route();
        // At hand when a list is opened.
        (globalThis.requestIdleCallback ?? setTimeout)(() => import('./list.js').catch(() => {}));
    }

    #accountButton() {
        const { account, isAlone } = this.device.session;
        if (isAlone) return iconButton('person', t('account.title'), () => open('account', this));
        return h('button.icon-button.account', {
            'aria-label': t('account.title'), title: t('account.title'), onclick: () => open('account', this),
        }, set(face({ ...account, account: account.id }), { 'aria-hidden': 'true' }));
    }

    async #route() {
        if (!this.#main || !this.device.session) return;
        const [, place] = location.hash.match(/^#\/(new|shop|shared)$/) ?? [];
        if (place) {
            const { goTo } = await import('./addresses.js');
            // Only once, whatever else has asked for the address meanwhile.
            return location.hash === `#/${place}` && goTo(this, place, () => this.#route());
        }
        // A notice may lead to the messages of a list.
        const [, id, messages] = location.hash.match(/^#\/list\/([0-9a-f-]{36})(\/messages)?$/) ?? [];
        if (messages) {
            this.#wanted = id;
            history.replaceState(null, '', `#/list/${id}`);
        }
        if (id && id === this.#screen?.id) {
            if (this.found) this.#screen.rows.reveal(this.found.item);
            this.found = null;
            return this.#openWanted();
        }
        this.#leaveScreen();
        const isKnown = id && this.device.rows.has(id);
        this.#root.firstElementChild?.setAttribute('data-view', isKnown ? 'list' : 'lists');
        if (!isKnown) {
            document.title = 'Trolley';
            fill(this.#main, h('div.empty', {}, icon('cart', 'big'), h('p', {}, t('lists.pick'))));
            this.#cards.markCurrent();
            return raiseToasts();
        }
        const { ListScreen } = await import('./list.js');
        if (this.#screen || !this.#main.isConnected || !location.hash.endsWith(id)) return;
        this.#screen = new ListScreen(this, id, this.#main);
        this.#cards.markCurrent();
        raiseToasts();
        if (this.typesIn === id) this.#screen.beginTyping();
        if (this.found?.list === id) this.#screen.rows.reveal(this.found.item);
        this.found = null;
        this.typesIn = null;
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

    /** A list has left the device. */
    async #noteGone(id) {
        this.#shares.delete(id);
        const isOpen = location.hash === `#/list/${id}`;
        if (isOpen) {
            for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
            await go('');
        }
        await this.#cards.showNotices(isOpen ? id : undefined).catch(() => { /* The device tells of broken storage. */ });
    }

    async #noteShare(id) {
        const row = this.device.rows.get(id), before = this.#shares.get(id);
        if (!row?.share) return;
        this.#shares.set(id, row.share);
        if (!before || JSON.stringify(before) === JSON.stringify(row.share)) return;
        (await import('./share-news.js')).tellShareNews(this.device, before, row);
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

/** Without an account, one is offered instead. */
const WITH_ACCOUNT = new Set(['status', 'account', 'share', 'messages', 'notices']);

/** Opens one of the sheets that are loaded on demand: 'status', 'account', 'newlist', 'share', 'activity', 'listmenu',
 * 'item', 'messages', 'notices', 'browse', 'aisles', 'shops', 'together', 'shared', 'help', 'operator', 'tokens', 'arrange', 'alone', 'profile'. */
export async function open(name, shell, ...values) {
    if (shell.device.isAlone && WITH_ACCOUNT.has(name)) name = 'alone';
    try {
        (await import(`./${name === 'status' ? 'status-sheet' : name}.js`)).show(shell, ...values);
    } catch (error) {
        console.warn(error);
        // The service no longer has the file, because this page is older.
        toast(t('update.newer'), { stays: true, name: 'update', action: t('update.now'), onaction: () => shell.update() });
    }
}
