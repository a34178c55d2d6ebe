// The device's storage: its lists and two queues. Each method is one transaction, and is on the disk when it returns; storage/ has
// what the longer ones do. It does in IndexedDB what `QueueStore` in Sources/TrolleySync requires of a store.

import { Database, STORES, ofList } from './storage/database.js';
import { reofferAll } from './storage/lost.js';
import * as queues from './storage/queues.js';
import * as reading from './storage/reading.js';
import { RECEIVING_STORES, endsEntries, newList, remove } from './storage/rows.js';
import { begin, during, empty, leave, succeed } from './storage/session.js';

export class Store {
    database;
    /** The session for which this page writes; null: nobody is signed in. */
    session = null;

    constructor(database = new Database()) { this.database = database; }

    get account() { return this.session?.account.id ?? null; }

    /** Writes only while the session of this page is the stored one. */
    #write(stores, work) {
        return this.database.write([...new Set([...stores, 'meta'])], during(this.session, work));
    }

    // MARK: The session

    /** The state with which the page opens: account, settings, and the last shown state of each list. */
    opening() {
        return this.database.read(['meta', 'lists', 'folds', 'rejected'], async t => {
            const [session, settings, lists, folds, refused, left] = await Promise.all([
                t.get('meta', 'session'), t.get('meta', 'settings'), t.all('lists'), t.all('folds'), t.count('rejected'),
                t.get('meta', 'left'),
            ]);
            this.session = session ?? null;
            return { session, settings: settings ?? {}, lists, folds: new Map(folds.map(fold => [fold.list, fold.state])), refused, left };
        });
    }

    saveSession(session, trolley) {
        this.session = session;
        return this.database.write(STORES, t => begin(t, session, trolley));
    }

    async signedInAgain(session, now, trolley) {
        const { adopt } = await import('./storage/incoming.js'), former = this.account;
        this.session = session;
        return this.database.write(RECEIVING_STORES, t => succeed(t, session, former, adopt, now, trolley));
    }

    /** Stores what the service has said of the account. */
    renewSession(session) { return this.#write(['meta'], t => t.put('meta', session, 'session')); }

    leave() { return this.#write(STORES, t => leave(t, this.session)); }

    wipe() {
        this.session = null;
        return this.database.write(STORES, empty);
    }

    // MARK: What goes for all lists

    saveSettings(settings) { return this.database.write(['meta'], t => t.put('meta', settings, 'settings')); }

    /** What a part of the app keeps for the session under a name of its own; null: nothing. */
    kept(name) { return this.database.read(['meta'], async t => await t.get('meta', name) ?? null); }

    /** @param {(before: any) => any} change  from what is kept to what is kept next */
    keep(name, change) { return this.#write(['meta'], async t => t.put('meta', change(await t.get('meta', name) ?? null), name)); }

    saveRetryState(state) { return this.#write(['meta'], t => t.put('meta', state, 'pace')); }

    /** The number of refused changes. */
    refused() { return this.database.read(['rejected'], t => t.count('rejected')); }

    dismiss(store, key) { return this.#write([store], t => key === undefined ? t.clear(store) : t.delete(store, key)); }

    /** What the diagnostics say, as it is at one moment. */
    everything() {
        return this.database.read(['lists', 'pending', 'entries', 'rejected', 'notices', 'meta'], async t => ({
            lists: await Promise.all((await t.all('lists')).map(async row => ({
                row, entries: await t.all('entries', ofList(row.id)), pending: await t.all('pending', ofList(row.id)),
            }))),
            rejected: await t.all('rejected'), notices: await t.all('notices'), pace: await t.get('meta', 'pace') ?? null,
        }));
    }

    // MARK: What is read of a list

    journal(list) {
        return this.database.read(['entries', 'pending', 'undo', 'passed', 'unseen', 'lists'], t => reading.journal(t, list));
    }
    brief(list) { return this.database.read(['lists', 'pending', 'entries'], t => reading.brief(t, list)); }
    past(list) { return this.database.read(['entries', 'pending', 'bought'], t => reading.past(t, list)); }
    latest(list, count) { return this.database.read(['entries', 'lists'], t => reading.latest(t, list, count)); }
    waitingAndArrived(list, ids, most) {
        return this.database.read(['lists', 'pending', 'entries'], t => reading.waitingAndArrived(t, list, ids, most));
    }

    // MARK: The records of lists

    lists() { return this.database.read(['lists'], t => t.all('lists')); }

    /** Adds a list, unless it is here. @param [made]  what it begins with, as for `append` */
    addList(id, made = { records: [] }, wall = '') {
        return this.#write(['lists', 'pending', 'undo'], async t => {
            const row = await t.get('lists', id) ?? await newList(t, id, { published: false });
            await queues.append(t, row, made, wall);
        });
    }

    /** Changes members of a list's record. */
    change(list, values) {
        return this.#write(['lists'], async t => {
            const row = await t.get('lists', list);
            if (row) await t.put('lists', { ...row, ...values });
        });
    }

    /** Changes the records of several lists in one transaction: see storage/places.js and storage/read.js. */
    changeLists(work, stores = ['lists']) { return this.#write(stores, work); }

    saveFold(list, state) { return this.#write(['folds'], t => t.put('folds', { list, state })); }

    /** Lets the next sync fetch a list, or all, afresh. Unsent entries stay. */
    refetch(list) {
        return this.#write(['lists'], async t => {
            for (const row of await t.all('lists')) {
                if ((!list || row.id === list) && !row.local) await t.put('lists', { ...row, token: null, staging: false });
            }
        });
    }

    /**
     * Removes a list from this device, because the person has left or deleted it.
     * @param {string} list
     * @param {boolean} isOwn  then what is unsent goes with it; otherwise it is kept as refused
     * @param {Date} now
     */
    removeList(list, isOwn, now) {
        return this.#write(RECEIVING_STORES, async t => {
            const row = await t.get('lists', list);
            if (isOwn) await t.delete('pending', ofList(list));
            if (row) await remove(t, row, null, now);
        });
    }

    // MARK: The queues

    /**
     * Stores changes of one list or several.
     * @param {{id: string, made: object}[]} parts  the lists, and what the module has made of their changes
     * @param [refused]  the key of the refused change that they make again, and which goes with that
     * @returns {Promise<Map<string, number>>}  the last number of each list
     */
    append(parts, wall, refused) {
        return this.#write(['lists', 'pending', 'undo', 'rejected'], async t => {
            const last = new Map();
            // Another tab may have made it again.
            if (refused && !await t.get('rejected', refused)) throw new Error('the change was made again already');
            if (refused) t.delete('rejected', refused);
            for (const { id, made } of parts) {
                const row = await t.get('lists', id);
                if (!row) throw isGone();
                last.set(id, await queues.append(t, row, made, wall));
            }
            return last;
        });
    }

    /** Others have changed all of what these did, so they can't be undone any more. */
    pass(list, entries) {
        return this.#write(['passed'], async t => {
            for (const id of entries) await t.put('passed', { list, id });
        });
    }

    status() { return this.database.read(['lists', 'pending', 'entries', 'meta'], queues.status); }
    queues() { return this.database.read(['lists', 'pending', 'entries', 'rejected', 'notices', 'meta'], queues.all); }
    async report(trolley, now) {
        const { lists, failures } = queues.reported(await this.queues());
        return trolley.report(lists, failures, now.toISOString());
    }
    waiting(list, limit) { return this.database.read(['pending', 'confirmed'], t => queues.waiting(t, list, limit)); }
    noteSending(list, entries) { return this.#write(['pending'], t => queues.noteSending(t, list, entries)); }
    noteUploadEnded(list, decide, upload) {
        return this.#write(['pending', 'confirmed'], t => queues.noteUploadEnded(t, list, decide, upload));
    }
    settle(list, decide, now) {
        return this.#write(['lists', 'pending', 'confirmed', 'undo', 'rejected', 'folds'], t => queues.settle(t, list, decide, now));
    }
    apply(list, decide) { return this.#write(['lists', 'entries', 'unseen'], t => queues.apply(t, list, decide)); }

    // MARK: The service's answers

    createListRequest(list) {
        return this.database.read(['lists'], async t => {
            const row = await t.get('lists', list);
            if (!row?.ownership) return { id: list };
            const people = row.share?.participants.filter(person => person.role === 'participant'
                && person.status === 'accepted').map(({ account, permission }) => ({ account, permission }));
            return { id: list, ownership: row.ownership, people: people ?? [] };
        });
    }

    /** @param answer  the service's answer; null: the list belongs to another person */
    notePublished(list, answer, now, trolley) {
        return this.#write(RECEIVING_STORES, async t => {
            const row = await t.get('lists', list);
            if (!row) return;
            row.published = true;
            // A service that had no such list doesn't know its place either.
            if (row.place) row.untold = Object.keys(row.place);
            if (answer) row.ownership = answer.ownership ?? '';
            const isLost = answer && answer.head < row.through;
            if (isLost) await reofferAll(t, row, { account: this.account, now, trolley });
            await t.put('lists', row);
        });
    }

    /** Stores an answer. `loadLater` loads the module with the later calls, which must be there before the transaction begins. */
    async receive(response, sent, { loadLater, ...context }) {
        const { receive } = await import('./storage/incoming.js');
        const rows = new Map((await this.lists()).map(row => [row.id, row]));
        const later = response.lists.some(page => endsEntries(page, rows.get(page.id))) ? await loadLater() : null;
        return this.#write(RECEIVING_STORES, t => receive(t, response, sent, { ...context, later, account: this.account, device: this.session?.device?.id }));
    }
}

/** The list has left this device, also in another tab. */
export const isGone = () => Object.assign(new Error('the list is gone'), { code: 'listDeleted' });
