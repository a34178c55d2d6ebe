// The device's storage: its lists and two queues. Each method is one transaction, and is on the disk when it returns. It does in
// IndexedDB what `QueueStore` in Sources/TrolleySync requires of a store.

import { Database, LIST_STORES, STORES, StorageError, entriesOf, ofList } from './database.js';
import { purchasesOf } from './history.js';
import { COUNTERS, RECEIVING_STORES, endsEntries, forget, lacksOwnership, newList, receive, remove } from './incoming.js';
import { adopt, reofferAll } from './lost.js';

/** The first entries of a queue: those of an upload and of the next one. */
const REACH = 2000;

export class Store {
    database;
    /** The session for which this page writes; null: nobody is signed in. */
    session = null;

    constructor(database = new Database()) { this.database = database; }

    get account() { return this.session?.account.id ?? null; }

    /** Writes for the session of this page. It may have ended meanwhile, also in another tab; then nothing is stored. */
    #write(stores, work, durability) {
        const { session } = this;
        return this.database.transaction([...new Set([...stores, 'meta'])], 'readwrite', async t => {
            const { account, device } = await t.get('meta', 'session') ?? {};
            const isThis = session && account?.id === session.account.id && device?.id === session.device?.id;
            if (!isThis) throw new StorageError('signedOut');
            return work(t);
        }, durability);
    }

    // MARK: Reading

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

    /** Stores the session of a person who was not signed in. What another account has left behind goes. */
    saveSession(session) {
        this.session = session;
        return this.database.write(STORES, async t => {
            const former = await t.get('meta', 'session') ?? await t.get('meta', 'left');
            if (former?.account.id === session.account.id) await renumber(t);
            else await empty(t);
            await t.delete('meta', 'left');
            await t.put('meta', session, 'session');
        });
    }

    /**
     * Ends the session, because the browser was signed out elsewhere. What the service can send again goes; unsent changes
     * and what was kept on this device alone wait for the account, unseen.
     * @returns {Promise<{account: object, waiting: number}>}  for the page that is shown then
     */
    leave() {
        return this.#write(STORES, async t => {
            let waiting = 0;
            for (const row of await t.all('lists')) {
                const queued = await t.count('pending', IDBKeyRange.only([row.id, 1]), 'queued');
                waiting += row.local ? 0 : queued;
                if (row.local) continue;
                if (!queued) {
                    await forget(t, row.id);
                    continue;
                }
                for (const store of LIST_STORES) if (store !== 'pending') t.delete(store, ofList(row.id));
                for (const { list, position, queued } of await t.all('pending', ofList(row.id))) if (!queued) t.delete('pending', [list, position]);
                t.delete('folds', row.id);
                t.put('lists', { ...row, token: null, staging: false, through: 0, unread: 0 });
            }
            const { account } = this.session, left = { account, waiting };
            for (const name of ['session', 'pace', 'push']) t.delete('meta', name);
            await t.put('meta', left, 'left');
            return left;
        });
    }

    /** Stores what the service has said of the account. */
    renewSession(session) { return this.#write(['meta'], t => t.put('meta', session, 'session')); }

    saveSettings(settings) { return this.database.write(['meta'], t => t.put('meta', settings, 'settings')); }

    /** The person's choice of notices on this device; null: none. */
    push() { return this.database.read(['meta'], async t => await t.get('meta', 'push') ?? null); }

    savePush(chosen) { return this.#write(['meta'], t => t.put('meta', chosen, 'push')); }

    lists() { return this.database.read(['lists'], t => t.all('lists')); }

    /** Not on the disk at once: a page that opens meanwhile would wait for it, and a lost fold is folded again. */
    saveFold(list, state) {
        return this.#write(['folds'], t => t.put('folds', { list, state }), 'relaxed');
    }

    /** Changes members of a list's record. */
    change(list, values) {
        return this.#write(['lists'], async t => {
            const row = await t.get('lists', list);
            if (row) await t.put('lists', { ...row, ...values });
        });
    }

    /** The entries from which the shown list is folded. */
    journal(list) {
        const stores = ['entries', 'pending', 'undo', 'passed', 'unseen', 'lists'];
        return this.database.read(stores, async t => {
            const [entries, pending, undo, passed, unseen, row] = await Promise.all([
                t.all('entries', ofList(list)), t.all('pending', ofList(list)), t.all('undo', ofList(list)),
                t.all('passed', ofList(list)), t.all('unseen', ofList(list)), t.get('lists', list),
            ]);
            return {
                row,
                waiting: entries.filter(record => record.waiting).map(record => record.entry),
                stored: {
                    entries: entries.filter(record => !record.waiting).map(record => record.entry),
                    pending: pending.map(asPending),
                    records: undo.map(record => record.record),
                    passed: passed.map(record => record.id),
                    unseen: unseen.map(({ item, entry }) => ({ item, entry })),
                },
            };
        });
    }

    /** The changing parts of a list, without its confirmed entries. */
    brief(list) {
        return this.database.read(['lists', 'pending', 'entries'], async t => {
            const [row, pending, waiting] = await Promise.all([
                t.get('lists', list), t.all('pending', ofList(list)),
                t.all('entries', IDBKeyRange.only([list, 1]), 'waiting'),
            ]);
            return { row, pending: pending.map(asPending), waiting: waiting.map(record => record.entry) };
        });
    }

    /** Everything from which a list's trips are inferred, also what waits to be shown. */
    past(list) {
        return this.database.read(['entries', 'pending', 'bought'], async t => {
            const [entries, pending, bought] = await Promise.all([
                entriesOf(t, list), t.all('pending', ofList(list)), t.all('bought', ofList(list)),
            ]);
            return { entries, pending: pending.map(asPending), bought: bought.map(({ list: _, ...purchase }) => purchase) };
        });
    }

    /** The last confirmed entries of a list, oldest first. */
    latest(list, count) {
        return this.database.read(['entries', 'lists'], async t => {
            const row = await t.get('lists', list);
            const range = IDBKeyRange.bound([list, Math.max(0, (row?.through ?? 0) - count)], [list, []]);
            return (await t.all('entries', range)).map(record => record.entry);
        });
    }

    /** What a room has to know: the unconfirmed entries, and which of some entries are in the journal. */
    waitingAndArrived(list, ids) {
        return this.database.read(['lists', 'pending', 'entries'], async t => {
            const [row, pending, counts] = await Promise.all([
                t.get('lists', list), t.all('pending', ofList(list)),
                Promise.all(ids.map(id => t.count('entries', IDBKeyRange.only([list, id]), 'id'))),
            ]);
            return {
                waiting: pending.map(record => record.entry), arrived: ids.filter((_, index) => counts[index] > 0),
                through: row?.through ?? 0,
            };
        });
    }

    /** The purchases on a list that the device knows. */
    purchases(list) {
        return this.database.read(['entries', 'bought'], async t => {
            const bought = new Map((await t.all('bought', ofList(list))).map(({ list: _, ...purchase }) => [purchase.entry, purchase]));
            for (const purchase of purchasesOf(await entriesOf(t, list))) bought.set(purchase.entry, purchase);
            return [...bought.values()];
        });
    }

    // MARK: The person's changes

    addList(id) {
        return this.#write(['lists'], async t => {
            if (await t.get('lists', id)) return;
            await t.put('lists', await newList(t, id, { published: false }));
        });
    }

    /**
     * Adds the person's new entries to the list and to its upload queue. The store numbers them.
     * @param {{madeAt: string, records: object[]}} made  from the module
     * @returns {Promise<number>}  the last number
     */
    append(list, { madeAt, records }, wall) {
        return this.#write(['lists', 'pending', 'undo'], async t => {
            const row = await t.get('lists', list);
            if (!row) throw isGone();
            for (const record of records) {
                // Another tab may have used the number that the module got.
                row.last += 1;
                row.made += 1;
                record.entry.deviceSequence = row.last;
                const { entry } = record;
                t.put('pending', { list, position: row.made, id: entry.id, entry, wall, estimate: madeAt, queued: 1 });
                // Messages are not undone.
                if (record.replaced) t.put('undo', { list, position: row.made, id: entry.id, record });
            }
            await t.put('lists', row);
            return row.last;
        });
    }

    pass(list, entries) {
        return this.#write(['passed'], async t => {
            for (const id of entries) await t.put('passed', { list, id });
        });
    }

    // MARK: Read by the engine

    status() {
        return this.database.read(['lists', 'pending', 'entries', 'meta'], async t => {
            const lists = await t.all('lists');
            return {
                lists: await Promise.all(lists.map(async row => ({
                    id: row.id, isPublished: row.published, isLocal: row.local, isShopping: row.shopping,
                    ...(row.token && { token: row.token }),
                    waiting: await t.count('pending', IDBKeyRange.only([row.id, 1]), 'queued'),
                    toApply: await t.count('entries', IDBKeyRange.only([row.id, 1]), 'waiting'),
                }))),
                pace: await t.get('meta', 'pace'),
                lacksOwnership: lists.some(lacksOwnership),
            };
        });
    }

    /** The upload queue's first entries; `isOwn`: made on this device, even if they are offered again. */
    waiting(list, limit) {
        return this.database.read(['pending', 'confirmed'], async t => {
            const range = IDBKeyRange.only([list, 1]);
            const records = limit ? await t.first('pending', range, limit, 'queued') : await t.all('pending', range, 'queued');
            for (const record of records) record.isOwn = !record.offered || !!await t.get('confirmed', [list, record.id]);
            return records.sort((a, b) => a.position - b.position);
        });
    }

    /** Notes that these are about to be sent: from now on their content must not change. */
    noteSending(list, entries) {
        return this.#write(['pending'], async t => {
            for (const id of entries) {
                const record = await t.get('pending', [list, id], 'id');
                if (record && !record.sent) await t.put('pending', { ...record, sent: true });
            }
        });
    }

    /**
     * Records that an upload has ended, with an answer or without: what the person did meanwhile must not count as done before
     * what was sent. See `QueueStore.noteUploadEnded` in Sources/TrolleySync.
     * @param {number} age  with which the youngest own entry was sent
     * @param {Date} now
     * @param {string} [latest]  the latest `madeAt` in the answer
     */
    noteUploadEnded(list, age, now, latest = '') {
        const wall = new Date(now - age).toISOString();
        return this.#write(['pending'], async t => {
            for (const record of await t.first('pending', IDBKeyRange.only([list, 1]), REACH, 'queued')) {
                if (record.sent || record.offered || record.wall >= wall) continue;
                t.put('pending', { ...record, wall, estimate: record.estimate > latest ? record.estimate : latest });
            }
        });
    }

    /**
     * Stores the new session after signing in again, which makes a new device: unsent entries are numbered anew.
     * @param {Date} now
     */
    signedInAgain(session, now) {
        const former = this.account;
        this.session = session;
        return this.database.write(['lists', 'pending', 'entries', 'staged', 'meta'], async t => {
            await t.put('meta', session, 'session');
            if (former !== session.account.id) await adopt(t, former, now);
            await renumber(t);
        });
    }

    /** Both queues, with all entries. */
    queues() {
        return this.database.read(['lists', 'pending', 'entries', 'rejected', 'notices', 'meta'], async t => ({
            lists: await Promise.all((await t.all('lists')).map(async row => ({
                row,
                upload: (await t.all('pending', ofList(row.id))).filter(record => record.queued),
                toApply: (await t.all('entries', IDBKeyRange.only([row.id, 1]), 'waiting')).map(record => record.entry),
            }))),
            rejected: await t.all('rejected'), notices: await t.all('notices'), pace: await t.get('meta', 'pace'),
        }));
    }

    /** What the diagnostics say, as it is at one moment. */
    everything() {
        return this.database.read(['lists', 'pending', 'entries', 'rejected', 'notices', 'meta'], async t => ({
            lists: await Promise.all((await t.all('lists')).map(async row => ({
                row, entries: await t.all('entries', ofList(row.id)), pending: await t.all('pending', ofList(row.id)),
            }))),
            rejected: await t.all('rejected'), notices: await t.all('notices'), pace: await t.get('meta', 'pace') ?? null,
        }));
    }

    /** The report of the queues for a fetch: counts, ages and codes. */
    async report(now) {
        const { lists, rejected, pace } = await this.queues();
        const report = { upload: {}, toApply: {}, held: {} };
        const failures = new Map();
        const note = (code, count, at) => {
            const age = Math.max(0, now - Date.parse(at)), known = failures.get(code);
            failures.set(code, { code, count: count + (known?.count ?? 0), age: Math.min(age, known?.age ?? Infinity) });
        };
        for (const { row, upload, toApply } of lists) {
            if (row.local) continue;
            for (const { entry, wall } of upload) {
                report.upload[entry.operation] = (report.upload[entry.operation] ?? 0) + 1;
                report.oldestAge = Math.max(report.oldestAge ?? 0, now - Date.parse(wall));
                report.held[row.id] = Math.min(report.held[row.id] ?? Infinity, entry.deviceSequence);
            }
            for (const { operation } of toApply) report.toApply[operation] = (report.toApply[operation] ?? 0) + 1;
        }
        for (const { code, count, at } of pace?.lately ?? []) note(code, count, at);
        for (const { code, at } of rejected) note(code, 1, at);
        report.failures = [...failures.values()].sort((a, b) => a.age - b.age).slice(0, 8);
        return report;
    }

    // MARK: Written by the engine

    savePace(pace) { return this.#write(['meta'], t => t.put('meta', pace, 'pace')); }

    createListRequest(list) {
        return this.database.read(['lists'], async t => {
            const row = await t.get('lists', list);
            if (!row?.ownership) return { id: list };
            const people = row.share?.participants.filter(person => person.role === 'participant'
                && person.status === 'accepted').map(({ account, permission }) => ({ account, permission }));
            return { id: list, ownership: row.ownership, ...(people && { people }) };
        });
    }

    /** @param answer  the service's answer; null: the list belongs to another person */
    notePublished(list, answer, now) {
        return this.#write(RECEIVING_STORES, async t => {
            const row = await t.get('lists', list);
            if (!row) return;
            row.published = true;
            if (answer) row.ownership = answer.ownership ?? '';
            const isLost = answer && answer.head < row.through;
            if (isLost) await reofferAll(t, row, this.account, now);
            await t.put('lists', row);
        });
    }

    /**
     * Settles entries of the upload queue.
     * @returns {Promise<string[]>}  the rejected ones
     */
    settle(list, verdicts, now) {
        return this.#write(['lists', 'pending', 'confirmed', 'undo', 'rejected', 'folds'], async t => {
            const row = await t.get('lists', list);
            const listName = (await t.get('folds', list))?.state.name ?? null;
            const refused = [];
            for (const verdict of verdicts) {
                const record = await t.get('pending', [list, verdict.entry], 'id');
                if (!record) continue;
                const key = [list, record.position];
                delete record.queued;
                if (verdict.outcome === 'rejected') {
                    const { code, detail } = verdict;
                    t.put('rejected', { list, listName, entry: record.entry, code, detail, at: now.toISOString() });
                    t.delete('pending', key);
                    // The entry has no effect any more, so it can't be undone.
                    const [undo] = await t.keys('undo', IDBKeyRange.only([list, verdict.entry]), 'id');
                    if (undo) t.delete('undo', undo);
                    refused.push(verdict.entry);
                } else if (verdict.outcome === 'accepted' && verdict.sequence > row.through) {
                    // It is folded as an own entry until a fetch has passed it.
                    await t.put('pending', { ...record, sequence: verdict.sequence });
                } else {
                    t.delete('pending', key);
                    if (verdict.outcome === 'accepted') await t.put('confirmed', record);
                }
            }
            return refused;
        });
    }

    /** Stores an answer. `loadLater` loads the module with the later calls, which must be there before the transaction begins. */
    async receive(response, sent, { loadLater, ...context }) {
        const rows = new Map((await this.lists()).map(row => [row.id, row]));
        const later = response.lists.some(page => endsEntries(page, rows.get(page.id))) ? await loadLater() : null;
        return this.#write(RECEIVING_STORES, t => receive(t, response, sent, { ...context, later, account: this.account, device: this.session?.device?.id }));
    }

    /**
     * Applies entries of a list's to-apply queue.
     * @param {(waiting: object[], received: string) => {apply: string[], unseen: object[]}} decide
     * @returns {Promise<object[]>}  the applied entries
     */
    apply(list, decide) {
        return this.#write(['lists', 'entries', 'unseen'], async t => {
            const row = await t.get('lists', list);
            const records = await t.all('entries', IDBKeyRange.only([list, 1]), 'waiting');
            records.sort((a, b) => a.sequence - b.sequence);
            if (!row || !records.length) return [];
            const { apply, unseen } = decide(records.map(record => record.entry), row.received ?? new Date(0).toISOString());
            for (const { item, entry } of unseen) t.put('unseen', { list, item, entry });
            const ids = new Set(apply), applied = [];
            for (const { waiting, ...record } of records) {
                if (!ids.has(record.entry.id)) continue;
                t.put('entries', record);
                applied.push(record.entry);
            }
            return applied;
        });
    }

    // MARK: Leaving

    /** Removes a list from this device, because the person has left or deleted it. */
    removeList(list, now) {
        return this.#write(RECEIVING_STORES, async t => {
            const row = await t.get('lists', list);
            if (row) await remove(t, row, null, now);
        });
    }

    refused() { return this.database.read(['rejected'], t => t.count('rejected')); }

    dismiss(store, key) { return this.#write([store], t => key === undefined ? t.clear(store) : t.delete(store, key)); }

    /** Lets the next sync fetch a list, or all, afresh. Unsent entries stay. */
    refetch(list) {
        return this.#write(['lists'], async t => {
            for (const row of await t.all('lists')) {
                if ((!list || row.id === list) && !row.local) await t.put('lists', { ...row, token: null, staging: false });
            }
        });
    }

    /** Deletes everything except language and look. */
    wipe() {
        this.session = null;
        return this.database.write(STORES, empty);
    }
}

/** Numbers the unsent entries for a new device. */
async function renumber(t) {
    await t.delete('meta', COUNTERS());
    for (const row of await t.all('lists')) {
        row.last = 0;
        const queued = await t.all('pending', IDBKeyRange.only([row.id, 1]), 'queued');
        for (const record of queued.sort((a, b) => a.position - b.position)) {
            // The numbers of other devices' entries, which are offered again, are independent of this one's.
            if (record.offered) continue;
            if (record.sent) {
                row.last = Math.max(row.last, record.entry.deviceSequence);
                continue;
            }
            record.entry.deviceSequence = ++row.last;
            await t.put('pending', record);
        }
        await t.put('lists', row);
    }
}

async function empty(t) {
    const settings = await t.get('meta', 'settings');
    for (const store of STORES) t.clear(store);
    if (settings) await t.put('meta', settings, 'settings');
}

/** The list has left this device, also in another tab. */
export const isGone = () => Object.assign(new Error('the list is gone'), { code: 'listDeleted' });

const asPending = record => ({ entry: quoted(record.entry), madeAt: record.estimate, isQueued: record.queued === 1 });

/** Somebody else's message that is offered again, as it is shown: it names its writer. */
function quoted({ author, device, madeAt, receipt, authorName, ...entry }) {
    const isTheirs = authorName && entry.operation === 'message' && !entry.fields?.writtenAt;
    return isTheirs ? { ...entry, fields: { ...entry.fields, writtenBy: authorName, writtenAt: madeAt } } : entry;
}
