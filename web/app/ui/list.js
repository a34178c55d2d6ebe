// One list: planning and shopping.

import { Claim } from '../device/claim.js';
import { makeHailKey } from '../device/hail-key.js';
import { wantedBy } from '../device/history.js';
import { inOrder } from '../device/in-order.js';
import { call } from '../device/transport.js';
import { fill, h, icon, iconButton, set } from '../dom.js';
import { isolate, names, t } from '../text.js';
import { AddBar } from './addbar.js';
import { Anchor } from './anchor.js';
import { paint } from './colours.js';
import { watchGestures } from './gestures.js';
import { face, nameOf, others } from './people.js';
import { Rows } from './rows.js';
import { open } from './shell.js';
import { announce, explain, toast, untold } from './sheet.js';
import { statusButton } from './status.js';

/** Milliseconds in which a page is painted, otherwise it is in the background. */
const PAINTED_AFTER = 300;
/** The time for which a marked-off row keeps its place while planning, in milliseconds. */
const SETTLE_AFTER = 1100;
/** How many items that are on the list already are named among the suggestions, and how many lines say where others are. */
const NAMED = 3;
const PLACES = 5;
/** Milliseconds in which the person is told only once that somebody else marks off the same item. */
const WARN_EVERY = 120_000;

export class ListScreen {
    id;
    #shell;
    #device;
    #place;
    #rows;
    #bar;
    #title = h('h1', { dir: 'auto' });
    #faces = h('button.faces', { onclick: () => open('share', this.#shell, this.id) });
    #notice = h('div.notice', { hidden: true }, icon('bell'), h('span', { dir: 'auto' }),
        h('button', { onclick: () => this.#showWaiting() }, t('notice.show')));
    #talk = h('button.strip', { hidden: true, onclick: () => open('messages', this.#shell, this) }, icon('talk'), h('span', { dir: 'auto' }));
    #tidyButton = h('button.chip.tidy', { hidden: true, onclick: () => this.#tidy() }, icon('sparkle'), t('list.tidy'));
    #undo = iconButton('undo', t('undo'), () => this.revert('undo'));
    #redo = iconButton('redo', t('redo'), () => this.revert('redo'), { class: 'icon-button redo' });
    #modes;
    #searchField;
    #line = h('p.live', { hidden: true, dir: 'auto' });
    #lookOnly = h('p.look-only', {}, t('list.lookOnly'));
    #empty = h('div.empty', { hidden: true });
    /** Where items are that a search doesn't find; and where.js, once it is needed. */
    #elsewhere = h('ul.where', { hidden: true, 'aria-label': t('where.title') });
    #telling = null;
    #scroller;
    #frame;
    #presence = new Set();
    /** This tab's reports that the list is open, which the service has not answered yet. */
    #reports = new Set();
    #reporting = inOrder();
    #looking = inOrder();
    /** How many people the list had when this page announced itself. */
    #people = 0;
    #reads = new Map();
    /** Whether this of the device's tabs has the list open for all of them, and the key with which it does. */
    #claim = null;
    #key = null;
    /** The list's room, while somebody else has the list open. */
    #entering = null;
    #live = null;
    #lookedAt = null;
    /** When the person was told that somebody else marks off the same item. */
    #warnedAt = new Map();
    #anchor;
    /** An entry of the gesture that a message offers to undo, and what takes the message away. */
    #offer = null;
    /** Fulfilled when the marks that are on the screen are on the list. What comes after them waits. */
    #marking = null;
    #lock = null;
    #timers = [];
    #settle = null;
    #stop = new AbortController();
    /** Past trips, once they are loaded. */
    #trips = null;
    /** The groups of rows that were shown last in shopping mode; at first those that the page has stored. */
    #groups = null;

    constructor(shell, id, place) {
        this.#shell = shell;
        this.#device = shell.device;
        this.id = id;
        this.#place = place;
        this.#rows = new Rows({ arrange: items => this.#arrange(items) });
        this.#build();
        this.#show({ tidy: true });
        this.#listen();
    }

    get row() { return this.#device.rows.get(this.id); }
    get state() { return this.#device.states.get(this.id); }
    get isShopping() { return this.row?.shopping ?? false; }
    get account() { return this.#device.session?.account.id; }

    get canEdit() {
        const own = this.row?.share?.participants.find(person => person.account === this.#device.session?.account.id);
        return own?.permission !== 'readOnly';
    }

    // MARK: The frame

    #build() {
        const mode = (shopping, name, label) => h('button', {
            'aria-pressed': 'false', 'data-mode': shopping ? 'shop' : 'plan', onclick: () => this.#setShopping(shopping),
        }, icon(name), h('span', {}, label));
        this.#modes = h('div.modes', { role: 'group', 'aria-label': t('list.mode') },
            mode(false, 'list', t('list.plan')), mode(true, 'cart', t('list.shop')));
        this.#searchField = h('input.search', {
            type: 'search', hidden: true, placeholder: t('list.search'), 'aria-label': t('list.search'), autocomplete: 'off',
            oninput: () => this.#filter(), onkeydown: event => event.key === 'Escape' && this.#closeSearch(),
        });
        this.#bar = new AddBar({
            add: text => this.#add(text),
            type: () => this.type(),
            suggest: (prefix, limit) => this.#suggest(prefix, limit),
            reveal: item => this.#reveal(item),
            look: (element, name) => this.#tellWhere(element, name, () => wantedBy(this.state, name), 1),
        });
        this.#scroller = h('div.scroller', { tabindex: '-1' }, this.#empty, this.#rows.element, this.#elsewhere);
        const header = h('header.list-head', {},
            h('div.bar', {},
                h('a.icon-button.back', { href: '#/', 'aria-label': t('list.back'), title: t('list.back') }, icon('back')),
                h('div.tools', {},
                    this.#faces,
                    this.#undo, this.#redo,
                    iconButton('search', t('list.search'), () => this.search()),
                    iconButton('more', t('list.more'), () => open('listmenu', this.#shell, this)))),
            h('div.title', {}, this.#title),
            h('div.bar.under', {}, this.#modes, statusButton(this.#device, () => open('status', this.#shell))),
            this.#searchField);
        this.#frame = h('div.list', {}, header, this.#talk, this.#notice, this.#scroller, this.#line, this.#tidyButton);
        fill(this.#place, this.#frame);
        watchGestures(this.#scroller, {
            swipe: (row, direction) => direction === 'mark' ? this.#toggle(row) : this.remove(row.item),
            drop: (row, above) => this.#move(row.item, this.#rows.above(above)),
        });
        this.#anchor = new Anchor(this.#scroller, this.#rows.element, () => this.isShopping, this.#stop.signal);
    }

    #listen() {
        const { signal } = this.#stop;
        const on = (target, type, handler) => target.addEventListener(type, handler, { signal });
        on(this.#device, 'list', event => event.detail.list === this.id && this.#show());
        on(this.#device, 'presence', event => event.detail.list === this.id && !document.hidden && this.#announcePresence());
        on(this.#device, 'socket', event => event.detail.type === 'missed' && !document.hidden && this.#announcePresence());
        on(this.#device, 'socket', event => event.detail.type === 'open' && this.#live && this.#announcePresence());
        on(this.#device, 'double-buy', event => event.detail.list === this.id && this.#warn(event.detail.by, event.detail.items, 'doubleBuy'));
        on(this.#device, 'session', () => this.#show());
        on(this.#device, 'order', event => event.detail.list === this.id && this.#show({ tidy: true }));
        on(document, 'visibilitychange', () => this.#visibility());
        on(this.#rows.element, 'click', event => this.#click(event));
        on(this.#rows.element, 'keydown', event => this.#press(event));
        on(this.#rows.element, 'focusin', event => event.target.matches(':focus-visible') && this.look(event.target.closest('.row')?.dataset.id));
        on(this.#rows.element, 'focusout', () => this.look());
        on(globalThis, 'pagehide', () => this.#withdraw());
        on(globalThis, 'pageshow', event => event.persisted && this.#visibility());
    }

    /** The module is loaded. What the list showed last is painted first: reading a long journal takes longer than that. */
    async ready() {
        await painted();
        if (this.#stop.signal.aborted) return;
        this.#device.open(this.id).then(() => this.#bar.ready(), error => toast(explain(error), { isError: true }));
        this.#visibility();
    }

    leave() {
        this.#stop.abort();
        this.#device.shownLists.delete(this.id);
        this.#withdraw();
        this.#unlock();
        clearTimeout(this.#settle);
        this.#offer?.dismiss();
        for (const timer of this.#timers) clearInterval(timer);
    }

    // MARK: Showing

    #show({ tidy = false } = {}) {
        const { state, row } = this;
        if (!row) return;
        this.#title.textContent = state?.name || t('list.unnamed');
        document.title = `${this.#title.textContent} · Trolley`;
        paint(this.#frame, state?.colour);
        this.#frame.classList.toggle('shopping', this.isShopping);
        for (const button of this.#modes.children) {
            button.setAttribute('aria-pressed', (button.dataset.mode === 'shop') === this.isShopping);
        }
        this.#showFaces();
        this.#showPermission();
        // Somebody joined or left, or the share has only just arrived: until then nobody could be told, or asked.
        if (this.#timers.length && this.#people !== peopleOn(row)) this.#announcePresence();
        if (!state) return;
        const list = this.#device.opened(this.id);
        if (this.#offer && !isLatest(list, this.#offer.entry)) this.#offer.dismiss();
        this.#rows.show(this.state ?? state, {
            canEdit: this.canEdit, isShopping: this.isShopping, unconfirmed: list?.unconfirmed, tidy, tentative: this.#live?.tentative,
        });
        this.#live?.show();
        this.#showTalk(list);
        this.#showNotice(list);
        if (!this.isShopping) this.#bar.refresh();
        if (this.#searchField.value) this.#filter();
        this.#showEmpty();
        this.#tidyButton.hidden = !this.isShopping || !this.#rows.isUntidy;
        if (!this.isShopping && this.#rows.isUntidy) this.#settleSoon();
        if (!document.hidden && list) this.#device.noteSeen(this.id).catch(() => {});
    }

    /** The rows in the learned order, as it was when shopping mode was switched on. */
    #arrange(items) {
        const { row, state } = this;
        if (!row.learned || !this.#device.usesLearnedOrder) return null;
        if (this.#trips) this.#groups = this.#trips.arrange(this.id, items, state.aisles ?? [], row.learned);
        else if (this.#device.trolley) this.#loadTrips();
        // They are stored with the fold, for the next time.
        return state.groups = this.#groups ??= state.groups ?? null;
    }

    #loadTrips() {
        this.#device.trips().then(trips => {
            this.#trips = trips;
            this.#show();
        }, () => { /* The next change tries again. */ });
    }

    #showEmpty() {
        const count = this.state.items.length, isSearching = !this.#searchField.hidden && this.#searchField.value;
        this.#empty.hidden = count > 0 && !isSearching || !!isSearching && this.#rows.order.length > 0;
        if (this.#empty.hidden) return;
        fill(this.#empty, icon(isSearching ? 'search' : 'cart', 'big'), h('p', {}, isSearching ? t('list.nothingFound') : t('list.empty')));
    }

    /** It may change while the list is open. */
    #showPermission() {
        const { canEdit } = this;
        this.#undo.disabled = this.#redo.disabled = !canEdit;
        const [shown, other] = canEdit ? [this.#bar.element, this.#lookOnly] : [this.#lookOnly, this.#bar.element];
        other.remove();
        if (!shown.isConnected) this.#frame.append(shown);
    }

    #showFaces() {
        const { row } = this;
        const people = others(row, this.#device.session?.account.id);
        const label = people.length ? t('people.on', { n: people.length }) : t('share');
        set(this.#faces, { 'aria-label': label, title: label });
        const shown = people.slice(0, 4).map(person => face(person, {
            isHere: this.#presence.has(person.account), hasSeen: (this.#reads.get(person.account) ?? -1) >= row.through,
        }));
        fill(this.#faces, shown, people.length > 4 && h('span.face.more', {}, `+${people.length - 4}`), !people.length && icon('share'));
    }

    /** In shopping mode, other people's additions wait above the rows, and move none of them. */
    #showNotice(list) {
        const added = (list?.waiting ?? []).filter(entry => entry.operation === 'add');
        const waiting = list?.waiting.length ?? 0;
        const isHidden = !this.isShopping || waiting === 0;
        const text = added.length
            ? t('notice.added', { n: added.length, names: names(added.slice(0, 3).map(entry => entry.fields?.text ?? '')) })
            : t('notice.moved', { n: waiting });
        this.#notice.hidden = isHidden;
        this.#say(this.#notice.querySelector('span'), isHidden ? '' : text);
    }

    /** Writes a text, and announces it if it is new. */
    #say(element, text, isNews = true) {
        if (element.textContent === text) return;
        element.textContent = text;
        if (text && isNews) announce(text);
    }

    /** Shows the waiting changes, the first new row with the focus that the notice loses. */
    async #showWaiting() {
        const before = new Set(this.#rows.order);
        await this.#device.applyWaiting(this.id);
        this.#rows.focus(this.#rows.order.find(id => !before.has(id)));
    }

    /** Above the rows: what others have said since the messages were open here, otherwise what is pinned. */
    #showTalk(list) {
        const person = this.#device.session?.account.id;
        const news = list && newsIn(list, this.row.heard ?? 0, person);
        const shown = news ?? list?.handle.messages({ pinned: true, person }).messages.at(-1);
        this.#talk.hidden = !shown;
        if (!shown) return;
        const author = this.row.share?.participants.find(other => other.account === shown.author);
        this.#talk.firstElementChild.replaceWith(icon(news ? 'talk' : 'pin'));
        this.#say(this.#talk.lastElementChild, shown.author === person ? shown.text : `${isolate(nameOf(author ?? {}))}: ${shown.text}`, !!news);
    }

    // MARK: The person's changes

    /** @returns {Promise<string[] | null>}  the saved entries; null: nothing is saved, and the person knows why */
    async perform(drafts) {
        await this.#marking;
        return this.#perform(drafts);
    }

    async #perform(drafts) {
        if (!this.canEdit) {
            toast(t('list.lookOnly'));
            return null;
        }
        return this.#device.perform(this.id, drafts).catch(error => {
            untold(error);
            return null;
        });
    }

    /**
     * Says what was done, with a button to undo it, which goes as soon as undoing would undo something else.
     * @param {string} [entry]  one of the gesture's; without one it is the latest gesture
     */
    offerUndo(text, entry = latest(this.#device.opened(this.id))[0]) {
        const dismiss = toast(text, isLatest(this.#device.opened(this.id), entry) ? { action: t('undo'), onaction: () => this.revert('undo') } : {});
        this.#offer = { entry, dismiss: () => { this.#offer = null; dismiss(); } };
    }

    async #add(text) {
        await this.#marking;
        const added = await this.#device.add(this.id, text, list => this.#rows.below(list.state));
        const outcomes = { added: 0, back: 0, present: 0 };
        for (const { outcome } of added) outcomes[outcome] += 1;
        if (added.length === 1) {
            const [{ item, outcome, text: name }] = added;
            if (outcome === 'present') toast(t('add.present', { text: name }));
            announce(t(`add.${outcome}`, { text: name }));
            this.#reveal(item);
        } else if (added.length > 1) {
            const n = outcomes.added + outcomes.back;
            const text = outcomes.present ? t('add.many.some', { n, present: outcomes.present }) : t('add.many', { n });
            if (n) this.offerUndo(text);
            else toast(text);
            this.#reveal(added.at(-1).item);
        }
        return added.length;
    }

    async #suggest(prefix, limit) {
        const suggestions = await this.#device.suggestions(this.id, prefix, limit);
        const there = wantedBy(this.state, prefix).slice(0, NAMED).map(({ id, text }) => ({ item: id, text }));
        return [...there, ...suggestions];
    }

    /** Says where items of a name are that are not among those that the list shows. */
    #tellWhere(element, name, shown, limit) {
        if (!name && !this.#telling) return;
        this.#telling ??= import('./where.js');
        this.#telling.then(({ tellWhere }) => tellWhere(element, this.#device, this.id, name, shown(), limit), () => { this.#telling = null; });
    }

    #reveal(item) {
        requestAnimationFrame(() => {
            const element = this.#rows.row(item)?.element;
            element?.scrollIntoView({ block: 'nearest' });
            element?.classList.add('new');
            setTimeout(() => element?.classList.remove('new'), 1200);
        });
    }

    #toggle(row) {
        if (!this.canEdit) return;
        const { item } = row, markedOff = !row.isMarked, settle = row.mark(markedOff);
        if (markedOff) navigator.vibrate?.(8);
        // Folding and storing would delay the frame that shows the mark.
        this.#marking = Promise.all([painted(), this.#marking])
            .then(() => this.#perform([{ operation: markedOff ? 'markOff' : 'unmark', item: item.id }]))
            .then(() => settle(this.state?.items.find(({ id }) => id === item.id) ?? item));
    }

    #settleSoon() {
        clearTimeout(this.#settle);
        this.#settle = setTimeout(() => {
            // Never under a finger.
            if (this.#frame.querySelector('.swiping, .dragging, .row :active')) this.#settleSoon();
            else this.#show({ tidy: !this.isShopping });
        }, SETTLE_AFTER);
    }

    #tidy() {
        this.#show({ tidy: true });
        this.#anchor.toTop();
        this.#rows.focus(this.#rows.order[0]);
    }

    async remove(item) {
        const made = await this.perform([{ operation: 'delete', item: item.id }]);
        if (!made) return;
        this.#show({ tidy: !this.isShopping });
        this.offerUndo(t('row.deleted', { text: item.text }), made[0]);
    }

    edit(item, fields) { return this.perform([{ operation: 'edit', item, fields }]); }

    async revert(cause, { anyway = false } = {}) {
        if (!this.canEdit) return;
        await this.#marking;
        try {
            const outcome = await this.#device.revert(cause, this.id, { anyway });
            if (outcome === 'nothing') toast(t(`${cause}.nothing`));
            else if (outcome === 'passed') toast(t('undo.passed'));
            else if (outcome === 'tripIsOver') toast(t('undo.trip'), { name: 'trip', action: t('undo.anyway'), onaction: () => this.revert('undo', { anyway: true }) });
            else announce(t(`${cause}.done`));
        } catch (error) {
            toast(explain(error), { isError: true });
        }
    }

    async #setShopping(shopping) {
        if (shopping === this.isShopping) return;
        if (shopping) this.#trips = await this.#device.trips().catch(() => null);
        this.#groups = null;
        await this.#device.setShopping(this.id, shopping);
        this.#show({ tidy: true });
        this.#anchor.toTop();
        this.#visibility();
    }

    search() {
        this.#searchField.hidden = false;
        this.#searchField.focus();
    }

    #closeSearch() {
        this.#searchField.value = '';
        this.#searchField.hidden = true;
        this.#filter();
    }

    async #filter() {
        const text = this.#searchField.value.trim();
        const list = await this.#device.open(this.id);
        const found = text ? new Set(list.handle.found(text)) : null;
        this.#rows.filter(found);
        this.#showEmpty();
        this.#tellWhere(this.#elsewhere, text, () => this.state.items.filter(({ id }) => found?.has(id)), PLACES);
    }

    #click(event) {
        const row = event.target.closest('.row')?.row;
        if (!row) return;
        if (event.target.closest('.check') || this.isShopping && event.target.closest('.body')) this.#toggle(row);
        else if (event.target.closest('.body, .edit')) open('item', this.#shell, this, row.item);
    }

    #press(event) {
        const row = event.target.closest('.row')?.row;
        if (!row || !this.canEdit) return;
        const isHandle = event.target.closest('.handle');
        if (isHandle && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
            event.preventDefault();
            this.moveBy(row.item, event.key === 'ArrowUp' ? -1 : 1);
        } else if (event.key === 'Delete') {
            event.preventDefault();
            this.remove(row.item);
        } else if (!isHandle && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
            const rows = [...this.#rows.element.querySelectorAll('.row')];
            const next = rows[rows.indexOf(row.element) + (event.key === 'ArrowUp' ? -1 : 1)];
            if (!next) return;
            event.preventDefault();
            next.querySelector(event.target.matches('.body') ? '.body' : '.check').focus();
        }
    }

    async #move({ id: item }, after) { return after === item ? null : this.perform([{ operation: 'move', item, after }]); }

    /** Moves an item among those of its section. */
    async moveBy(item, step) {
        const ids = this.#rows.beside(item.id);
        const index = ids.indexOf(item.id), next = index + step;
        if (index < 0 || next < 0 || next >= ids.length) return;
        if (!await this.#move(item, step > 0 ? ids[next] : ids[next - 1] ?? null)) return;
        announce(t('row.moved', { text: item.text, place: next + 1, n: ids.length }));
        this.#rows.row(item.id)?.element.scrollIntoView({ block: 'nearest' });
    }

    /** Whether `moveBy` moves an item up, and down. */
    movable(item) {
        const ids = this.#rows.beside(item.id), index = ids.indexOf(item.id);
        return [index > 0, index >= 0 && index < ids.length - 1];
    }

    // MARK: Presence

    #visibility() {
        const isShown = !document.hidden;
        if (isShown) {
            this.#device.shownLists.add(this.id);
            // The phone was just taken out of the pocket, so nothing moves under a finger.
            if (this.isShopping && this.#rows.isUntidy) this.#show({ tidy: true });
            else this.#show();
        } else {
            this.#device.shownLists.delete(this.id);
        }
        if (!isShown) {
            this.#withdraw();
        } else if (!this.#claim) {
            this.#key = makeHailKey();
            this.#claim = new Claim(this.id, () => this.#announcePresence());
            this.#look();
        }
        for (const timer of this.#timers) clearInterval(timer);
        this.#timers = isShown ? [setInterval(() => this.#announcePresence(), 30_000)] : [];
        if (isShown && this.isShopping) this.#keepAwake();
        else this.#unlock();
    }

    get #isPublic() {
        return navigator.onLine && this.#device.session && this.row?.published && !this.row.local && this.row.share;
    }

    /** Reports that the list is open here, and meets the others who have it open. */
    async #announcePresence() {
        this.#people = peopleOn(this.row);
        if (!this.#isPublic) return;
        const claim = this.#claim;
        try {
            const key = await this.#key;
            if (claim?.isHeld) {
                const isNews = this.#reporting();
                const report = call('PUT', `lists/${this.id}/presence`, key ? { hailKey: key.text } : {});
                this.#reports.add(report);
                const answer = await report.finally(() => this.#reports.delete(report));
                if (isNews() && key && claim === this.#claim) this.#enter(answer, key, claim);
            }
            await this.#look();
        } catch { /* Nobody sees it, that is all. */ }
    }

    /** The list is no longer open here. */
    async #withdraw() {
        const claim = this.#claim, isOpen = claim?.isHeld;
        this.#claim = this.#entering = null;
        this.#live?.stop();
        this.#live = null;
        if (isOpen && this.#isPublic) {
            const leave = () => call('PUT', `lists/${this.id}/presence`, { present: false }, { keepalive: true }).catch(() => {});
            const underWay = [...this.#reports];
            await leave();
            // The service may have got a report after that. The others would wait for its end until they are told what was done here.
            if (underWay.length) {
                await Promise.allSettled(underWay);
                await leave();
            }
        }
        // Another tab reports its presence only now.
        claim?.end();
    }

    /** Enters the list's room. Without one, everything comes by the journal. */
    async #enter(answer, key, claim) {
        const isAlone = !answer.devices?.some(({ account }) => account !== this.account);
        if (isAlone && !this.#live) return;
        try {
            this.#entering ??= Promise.all([import('./live.js'), this.#device.later()]);
            const [{ Live }, trolley] = await this.#entering;
            if (claim !== this.#claim) return;
            if (!this.#live) {
                this.#live = new Live(this, this.#line, {
                    device: this.#device, key, trolley, onTentative: () => this.#show(),
                    onDoubleBuy: (by, items) => this.#warn(by, items, 'live.doubleBuy'),
                });
            }
            // It counts for a minute.
            this.look(this.#lookedAt);
            await this.#live.room.presence(answer);
        } catch (error) {
            this.#entering = null;
            console.info('without a room:', error);
        }
    }

    /** Tells the others that the person looks at an item. */
    look(item = null) {
        this.#lookedAt = item;
        this.#live?.room.look(item);
    }

    /** Tells the others that the person types. */
    type(item = null) { this.#live?.room.type(item); }

    /** Somebody else marks off the same items at nearly the same time. */
    #warn(by, items, key) {
        const now = performance.now();
        const news = items.filter(item => !(now < this.#warnedAt.get(`${by} ${item}`) + WARN_EVERY));
        const texts = news.map(item => this.state.items.find(other => other.id === item)?.text).filter(Boolean);
        if (!texts.length) return;
        for (const item of news) this.#warnedAt.set(`${by} ${item}`, now);
        const person = this.row.share?.participants.find(other => other.account === by);
        toast(t(key, { name: nameOf(person ?? {}), text: names(texts.slice(0, 5)) }), { name: 'double-buy' });
    }

    /** The presence and the read marks of the other people. */
    async #look() {
        if (!navigator.onLine || !this.row?.share) return;
        const isNews = this.#looking();
        try {
            const { presence = [], reads = [] } = await call('GET', `lists/${this.id}/share`);
            if (!isNews()) return;
            this.#presence = new Set(presence.map(({ account }) => account));
            this.#reads = new Map(reads.map(({ account, through }) => [account, through]));
            this.#showFaces();
        } catch { /* The same. */ }
    }

    #keepAwake() {
        if (this.#lock || !navigator.wakeLock) return;
        // A promise: the list may be left while it is asked for.
        const lock = this.#lock = navigator.wakeLock.request('screen');
        const forget = () => { if (this.#lock === lock) this.#lock = null; };
        // Refused: the battery is low, or the browser won't.
        lock.then(sentinel => sentinel.addEventListener('release', forget), forget);
    }

    #unlock() {
        this.#lock?.then(sentinel => sentinel.release(), () => {});
        this.#lock = null;
    }
}

/** The latest message of others after a sequence. */
const newsIn = (list, heard, person) =>
    list.handle.messages({ limit: 1, person }).messages.find(({ author, sequence = 0 }) => author !== person && sequence > heard);

/** Waits until what is on the page has been painted, or the page goes. Pages in the background are not painted, or only later. */
const painted = () => document.hidden ? null : new Promise(go => {
    const isOver = new AbortController();
    const end = () => {
        isOver.abort();
        go();
    };
    requestAnimationFrame(() => setTimeout(end));
    setTimeout(end, PAINTED_AFTER);
    for (const type of ['visibilitychange', 'pagehide']) addEventListener(type, end, { signal: isOver.signal });
});

/** The entries that undoing would undo. */
const latest = list => list?.handle.plan('undo').step?.gesture.map(({ id }) => id) ?? [];
const isLatest = (list, entry) => latest(list).includes(entry);

const peopleOn = row => row?.share?.participants.length ?? 0;
