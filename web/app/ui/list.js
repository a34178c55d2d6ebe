// One list: planning and shopping.

import { wantedBy } from '../device/keys.js';
// The device needs them, perhaps when there is no network any more.
import '../device/seen.js';
import '../device/shopping.js';
import { fill, h, icon } from '../dom.js';
import { t } from '../text.js';
import { AddBar } from './addbar.js';
import { Anchor } from './anchor.js';
import { Awake } from './awake.js';
import { Changes } from './changes.js';
import { paint } from './colours.js';
import { Finish } from './finish.js';
import { watchGestures, watchPull } from './gestures.js';
import { Head } from './head.js';
import { News } from './news.js';
import { painted } from './painted.js';
import { personOn } from './people.js';
import { Presence } from './presence.js';
import { Rows } from './rows.js';
import { Search } from './search.js';
import { open } from './shell.js';
import { explain, toast } from './sheet.js';
import { Strips } from './strips.js';

/** The time for which a marked-off row keeps its place while planning, in milliseconds. */
const SETTLE_AFTER = 1100;
/** How many items that are on the list already are named among the suggestions. */
const NAMED = 3;

export class ListScreen {
    // What its parts and the sheets use.
    shell;
    id;
    device;
    rows = new Rows({
        arrange: items => this.#arrange(items),
        folds: { get: () => !!this.device.settings.foldsDone, set: foldsDone => this.device.saveSettings({ foldsDone }) },
    });
    changes = new Changes(this);
    presence;

    #place;
    #stop = new AbortController();
    #search = new Search(this);
    #strips;
    #bar;
    #head;
    #foot;
    #finish = new Finish(this, () => this.#setShopping(false));
    #news = new News(this);
    #empty = h('div.empty', { hidden: true });
    #tidyButton = h('button.chip.tidy', { hidden: true, onclick: () => this.#tidy() }, icon('sparkle'), t('list.tidy'));
    #lookOnly = h('p.look-only', {}, t('list.lookOnly'));
    #frame;
    #anchor;
    #awake = new Awake();
    #settle = null;
    /** Past trips, once they are loaded. */
    #trips = null;
    /** The order of rows that was shown last in shopping mode; at first the one that the page has stored. */
    #arranged = null;

    constructor(shell, id, place) {
        this.shell = shell;
        this.device = shell.device;
        this.id = id;
        this.#place = place;
        this.presence = new Presence(this, () => open('share', shell, id), this.#stop.signal);
        this.#strips = new Strips(this, { openTalk: () => open('messages', shell, this), showWaiting: () => this.#showWaiting() });
        this.#build();
        // Showing the list counts as having seen it.
        this.#news.begin(this.row?.unread);
        this.show({ tidy: true });
        this.#listen();
    }

    get row() { return this.device.rows.get(this.id); }
    get state() { return this.device.states.get(this.id); }
    get isShopping() { return this.row?.shopping ?? false; }
    /** Items that are bought in another shop than the one where the person is. */
    get elsewhere() { return new Set(this.isShopping && this.row.shop ? this.#arranged?.elsewhere : []); }
    get account() { return this.device.session?.account.id; }
    noteAdded(item, text) { return this.#search.noteAdded(item, text); }
    get unheard() { return this.#strips.unheard; }
    get canEdit() { return personOn(this.row, this.account)?.permission !== 'readOnly'; }
    get #isLeft() { return this.#stop.signal.aborted; }

    // MARK: The frame

    #build() {
        this.#bar = new AddBar(this.id, {
            add: text => this.changes.add(text),
            offer: async text => (await import('./imports.js')).offer(this.shell, this, text),
            type: () => this.presence.type(),
            suggest: (prefix, limit) => this.#suggest(prefix, limit),
            browse: () => open('browse', this.shell, this),
            reveal: item => this.rows.reveal(item),
            look: (element, name) => this.#search.tellWhere(element, name, () => wantedBy(this.state, name), 1),
        });
        const scroller = h('div.scroller', { tabindex: '-1' }, this.#empty, this.rows.element, this.#search.elsewhere);
        this.#head = new Head(this, {
            search: () => this.toggleSearch(), more: () => open('listmenu', this.shell, this), status: () => open('status', this.shell),
            setShopping: shopping => this.#setShopping(shopping),
        }, this.#stop.signal, this.#search.field);
        this.#foot = h('div.foot', {}, this.#tidyButton);
        this.#frame = h('div.list', {}, this.#head.element, ...this.#strips.elements, scroller, this.presence.line, h('div.toast-place'),
            this.#finish.element, this.#foot);
        fill(this.#place, this.#frame);
        watchGestures(scroller, {
            swipe: (row, direction) => direction === 'mark' ? this.changes.toggle(row) : this.changes.remove(row.item),
            drop: (row, above) => this.changes.move(row.item, this.rows.above(above)),
        });
        watchPull(scroller, () => this.device.sync('manual'));
        this.#anchor = new Anchor(scroller, this.rows.element, () => this.isShopping, this.#stop.signal);
    }

    #listen() {
        const { signal } = this.#stop;
        const on = (target, type, handler) => target.addEventListener(type, handler, { signal });
        on(this.device, 'list', event => event.detail.list === this.id && this.show());
        on(this.device, 'session', () => this.show());
        on(this.device, 'order', event => event.detail.list === this.id && this.show({ tidy: true }));
        on(document, 'visibilitychange', () => this.#visibility());
        on(globalThis, 'pageshow', event => event.persisted && this.#visibility());
        const rows = this.rows.element;
        on(rows, 'click', event => this.#click(event));
        on(rows, 'keydown', event => this.#press(event));
        on(rows, 'focusin', event => event.target.matches(':focus-visible') && this.presence.look(event.target.closest('.row')?.dataset.id));
        on(rows, 'focusout', () => this.presence.look());
    }

    /** The module is loaded. What the list showed last is painted first: reading a long journal takes longer than that. */
    async ready() {
        await painted();
        if (this.#isLeft) return;
        this.device.open(this.id).then(() => this.#isLeft || this.#bar.ready(), error => toast(explain(error), { isError: true }));
        this.#visibility();
    }

    #visibility() {
        // Work may end after the person has gone on.
        if (this.#isLeft) return;
        if (document.hidden) {
            this.device.shownLists.delete(this.id);
            this.presence.end();
        } else {
            this.device.shownLists.add(this.id);
            // The phone was just taken out of the pocket, so nothing moves under a finger.
            this.show({ tidy: this.isShopping && this.rows.isUntidy });
            this.presence.begin();
        }
        if (!document.hidden && this.isShopping) this.#awake.begin();
        else this.#awake.end();
    }

    /** Opens an item's sheet at its aisle. */
    changeAisle(id) {
        const item = this.state?.items.find(item => item.id === id);
        if (item) open('item', this.shell, this, item, 'aisle');
    }

    beginTyping() { this.#bar.focus(); }

    toggleSearch() { this.#search.toggle(); }

    leave() {
        this.#stop.abort();
        this.device.shownLists.delete(this.id);
        this.presence.end();
        this.#awake.end();
        clearTimeout(this.#settle);
        this.changes.end();
    }

    // MARK: Showing

    show({ tidy = false } = {}) {
        const { state, row, isShopping } = this;
        if (!row || this.#isLeft) return;
        paint(this.#frame, state?.colour);
        this.#frame.classList.toggle('shopping', isShopping);
        this.#frame.classList.toggle('looking', !this.canEdit);
        this.presence.show();
        this.#showPermission();
        if (!state) return this.#head.show();
        const list = this.device.opened(this.id);
        this.changes.checkOffer();
        this.#news.note(state, list?.unconfirmed);
        this.rows.show(state, {
            canEdit: this.canEdit, isShopping, unconfirmed: list?.unconfirmed, tidy, tentative: this.presence.tentative, newBy: this.#newBy(),
        });
        this.#head.show();
        this.presence.showLive();
        this.#strips.show(list);
        this.#finish.show();
        if (!isShopping) this.#bar.refresh();
        this.#search.refresh();
        this.showEmpty();
        this.#tidyButton.hidden = !isShopping || !this.rows.isUntidy;
        if (!isShopping && this.rows.isUntidy) this.#settleSoon();
        if (!document.hidden && list) this.device.noteSeen(this.id).catch(() => {});
    }

    /** The people who have added what is new, by item. */
    #newBy() { return new Map([...this.#news.by].map(([item, account]) => [item, personOn(this.row, account) ?? { account }])); }

    showEmpty() {
        const { isOn } = this.#search;
        this.#empty.hidden = isOn ? this.rows.order.length > 0 : this.state.items.length > 0;
        if (this.#empty.hidden) return;
        fill(this.#empty, icon(isOn ? 'search' : 'cart', 'big'), h('p', {}, isOn ? t('list.nothingFound') : t('list.empty')));
    }

    /** It may change while the list is open. */
    #showPermission() {
        const { canEdit } = this;
        const [shown, other] = canEdit ? [this.#bar.element, this.#lookOnly] : [this.#lookOnly, this.#bar.element];
        other.remove();
        if (!shown.isConnected) this.#foot.append(shown);
    }

    /** Shows the waiting changes, the first new row with the focus that the notice loses. */
    async #showWaiting() {
        const before = new Set(this.rows.order);
        await this.device.applyWaiting(this.id);
        this.rows.focus(this.rows.order.find(id => !before.has(id)));
    }

    async #suggest(prefix, limit) {
        const suggestions = await this.device.suggestions(this.id, prefix, limit);
        const there = wantedBy(this.state, prefix).slice(0, NAMED).map(({ id, text }) => ({ item: id, text }));
        return [...there, ...suggestions];
    }

    // MARK: Shopping mode, and tidying up

    async #setShopping(shopping) { if (shopping !== this.isShopping) await this.shopAt(null, shopping); }

    /** @param {string | null} shop  where the person is; null: in no shop in particular */
    async shopAt(shop, shopping = true) {
        this.#search.end();
        if (shopping) this.#trips = await this.device.trips().catch(() => null);
        this.#arranged = null;
        await this.device.setShopping(this.id, shopping, shop);
        this.show({ tidy: true });
        this.#anchor.toTop();
        this.#visibility();
    }

    /** The rows in the learned order, as it was when shopping mode was switched on. */
    #arrange(items) {
        const { row, state } = this, places = this.device.usesLearnedOrder ? row.learned : null;
        if (!places && !row.shop) return null;
        if (this.#trips) this.#arranged = this.#trips.arrange(this.id, items, state, places ?? {}, row.shop);
        else if (this.device.trolley) this.#loadTrips();
        // It is stored with the fold, for the next time.
        return state.arranged = this.#arranged ??= state.arranged ?? null;
    }

    #loadTrips() {
        this.device.trips().then(trips => {
            this.#trips = trips;
            this.show();
        }, () => { /* The next change tries again. */ });
    }

    #tidy() {
        this.show({ tidy: true });
        this.#anchor.toTop();
        this.rows.focus(this.rows.order[0]);
    }

    #settleSoon() {
        clearTimeout(this.#settle);
        this.#settle = setTimeout(() => {
            // Never under a finger.
            if (this.#frame.querySelector('.swiping, .dragging, .row :active')) this.#settleSoon();
            else this.show({ tidy: !this.isShopping });
        }, SETTLE_AFTER);
    }

    // MARK: Taps and keys on rows

    #click(event) {
        const row = event.target.closest('.row')?.row;
        if (!row) return;
        if (event.target.closest('.check') || this.isShopping && event.target.closest('.body')) this.changes.toggle(row);
        else if (event.target.closest('.more')) this.changes.more(row.item.id);
        else if (event.target.closest('.body, .edit')) open('item', this.shell, this, row.item);
    }

    #press(event) {
        const row = event.target.closest('.row')?.row;
        if (!row || !this.canEdit) return;
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (step && event.target.closest('.handle')) {
            event.preventDefault();
            this.changes.moveBy(row.item, step);
        } else if (event.key === 'Delete') {
            event.preventDefault();
            this.changes.remove(row.item);
        } else if (step) {
            const rows = [...this.rows.element.querySelectorAll('.row')];
            const next = rows[rows.indexOf(row.element) + step];
            if (!next) return;
            event.preventDefault();
            next.querySelector(event.target.matches('.body') ? '.body' : '.check').focus();
        }
    }
}
