// The lists in memory: their stored records, and what the module has folded. They are read again when something was stored, by
// this tab or another.

import { OpenedList } from './opened.js';
import { isGone } from './store.js';

const SAVE_FOLD_AFTER = 400;
/** Lets the page draw, and the person tap. A timer would wait for a second, or a minute, in a tab that nobody sees. */
export const pause = () => new Promise(go => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
        port1.close();
        go();
    };
    port2.postMessage(0);
});

export class Lists {
    /** The stored record of each list, by id. */
    rows = new Map();
    /** The shown state of each list, by id; at first the stored state. */
    states = new Map();
    /**
     * Stored changes that are not folded yet, by list; null: fold everything afresh. The device's own entries among them are no
     * longer pending in the store, so nothing may be shown before they are folded.
     */
    unfolded = new Map();
    #device;
    /** Promises of the open lists, and those that are open. */
    #opening = new Map();
    #opened = new Map();
    /** The timers that store folds, by list. */
    #folds = new Map();

    constructor(device) {
        this.#device = device;
        device.addEventListener('trapped', event => event.detail.module === 'trolley' && this.#reopen());
        addEventListener('pagehide', () => this.#saveFolds());
        document.addEventListener('visibilitychange', () => document.hidden && this.#saveFolds());
    }

    /** Takes the state with which the page opens. */
    begin(rows, states) {
        for (const row of rows) this.rows.set(row.id, row);
        this.states = states;
        this.#device.emit('lists');
    }

    /** Opens a list in the module, or returns the open one. */
    async open(id) {
        const trolley = await this.#device.loaded();
        let opening = this.#opening.get(id);
        if (!opening) {
            const list = new OpenedList(id, trolley);
            opening = this.#device.store.journal(id).then(journal => {
                if (!journal.row) throw isGone();
                list.load(journal);
                this.#opened.set(id, list);
                this.show(list);
                return list;
            });
            this.#opening.set(id, opening);
            opening.catch(() => this.#opening.delete(id));
        }
        return opening;
    }

    /** The list, if it is open. @returns {OpenedList | undefined} */
    opened(id) { return this.#opened.get(id); }

    /** The module has trapped, and begins again with no list open. One in whose opening it did is opened only when somebody asks for it. */
    #reopen() {
        const lists = [...this.#opened.keys()];
        for (const map of [this.#opening, this.#opened]) for (const id of lists) map.delete(id);
        for (const id of lists) this.open(id).catch(error => this.#device.noteTrouble(error));
    }

    /** The service has refused entries of a list. */
    async forget(id, entries) { (await this.#opening.get(id))?.forget(entries); }

    // MARK: After something was stored

    /** Shows the stored state of a list. @param {{afresh?: boolean}} [options]  `afresh`: `unfolded` may lack some of it */
    async reload(id, { afresh = false } = {}) {
        const { store } = this.#device;
        const list = await this.#opening.get(id)?.catch(() => null);
        if (!list) {
            this.#device.openedGoods?.forget(id);
            await this.reloadRows();
            // Its name and its counts are shown among the lists.
            if (this.rows.has(id)) await this.open(id).catch(error => this.#device.noteTrouble(error));
            return;
        }
        if (!afresh && this.unfolded.get(id) !== null) {
            const brief = await store.brief(id);
            if (!brief.row) return this.#drop(id);
            const changes = this.#takeUnfolded(id);
            if (changes !== null && list.advance(brief, changes)) {
                // A long list takes its time: the page may draw before each step. It stays long, so that no later reload overtakes.
                list.isLong ||= list.state.items.length > 1000;
                const step = () => list.isLong && pause();
                await step();
                this.#device.openedGoods?.follow(id, changes);
                await step();
                return this.#opened.get(id) === list && this.show(list);
            }
        }
        this.#device.openedGoods?.forget(id);
        const journal = await store.journal(id);
        if (!journal.row) return this.#drop(id);
        this.#takeUnfolded(id);
        list.load(journal);
        this.show(list);
    }

    /** Shows the stored state of all open lists. */
    reloadAll() {
        for (const id of this.#opening.keys()) this.reload(id, { afresh: true }).catch(error => this.#device.noteTrouble(error));
    }

    async reloadRows() {
        const lists = await this.#device.store.lists();
        const here = new Set(lists.map(row => row.id));
        for (const id of this.rows.keys()) if (!here.has(id)) this.#drop(id);
        for (const row of lists) this.rows.set(row.id, row);
        this.#device.emit('lists');
    }

    /** The changes to fold with the state just read. A fetch notes them before its stored state can be read. */
    #takeUnfolded(id) {
        const changes = this.unfolded.has(id) ? this.unfolded.get(id) : [];
        this.unfolded.delete(id);
        return changes?.sort((a, b) => a.sequence - b.sequence) ?? null;
    }

    /** Shows an open list as it is now. */
    show(list) {
        const isNew = !this.rows.has(list.id);
        this.rows.set(list.id, list.row);
        this.states.set(list.id, list.state);
        if (isNew) this.#device.emit('lists');
        this.#saveFoldLater(list.id);
        this.#device.emit('list', { list: list.id });
    }

    /** Nobody is signed in any more. */
    clear() {
        for (const id of [...this.rows.keys()]) this.#drop(id);
        this.#device.openedGoods?.clear();
    }

    #drop(id) {
        this.#opening.get(id)?.then(list => list.close(), () => {});
        this.#device.openedGoods?.forget(id);
        for (const map of [this.#opening, this.#opened, this.unfolded, this.rows, this.states]) map.delete(id);
        clearTimeout(this.#folds.get(id));
        this.#folds.delete(id);
        this.#device.emit('gone', { list: id });
        this.#device.emit('lists');
    }

    // MARK: Storing what is shown, for the next start

    #saveFoldLater(id) {
        if (this.#folds.has(id)) return;
        this.#folds.set(id, setTimeout(() => this.#saveFold(id), SAVE_FOLD_AFTER));
    }

    #saveFold(id) {
        clearTimeout(this.#folds.get(id));
        this.#folds.delete(id);
        const state = this.states.get(id);
        if (state) this.#device.store.saveFold(id, state).catch(() => {});
    }

    #saveFolds() { for (const id of [...this.#folds.keys()]) this.#saveFold(id); }
}
