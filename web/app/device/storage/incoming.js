// Stores the result of a fetch in one transaction: entries in the to-apply queue, new tokens, new and removed lists.

import { LIST_STORES, entriesOf, ofList } from './database.js';
import { asReceiving, keepForRestore, originOf, reofferAll } from './lost.js';
import { lacksOwnership, newList, remove } from './rows.js';

/**
 * @param {Transaction} t  over RECEIVING_STORES
 * @param {object} response  of POST /v1/changes
 * @param {object} sent  the request's body
 * @param {{account: string, device: string, now: Date, trolley: Trolley, later: Trolley | null, shown: Set<string>}} context  `later`: the
 *   module with the later calls, if `endsEntries` says that it is needed
 * @returns {Promise<{outcome: object[], changes: Map<string, object[] | null>, moved: Map<string, string>}>}  what became of each page
 *   and of each list without one, which the module counts; per list the changes to fold, null: everything afresh; the new ids of
 *   lists that got one
 */
export async function receive(t, response, sent, context) {
    // The service worker asks in the same version.
    if (sent.protocolVersion) await t.put('meta', sent.protocolVersion, 'protocol');
    const outcome = [], changes = new Map(), moved = new Map();
    for (const page of response.lists) {
        const known = await t.get('lists', page.id);
        const row = known ?? await newList(t, page.id);
        // Another leader has stored a page in the meantime, so this page belongs to an earlier state.
        if (known && (known.token ?? null) !== (sent.tokens[page.id] ?? null)) {
            outcome.push({ hasNewToken: true });
            continue;
        }
        const before = row.token;
        const receiver = new Receiver(t, row, page, context);
        await receiver.receive();
        if (!context.shown.has(page.id)) row.unread += receiver.unread;
        await t.put('lists', row);
        changes.set(page.id, receiver.replaced ? null : receiver.changes);
        outcome.push({
            news: receiver.news, isNew: !known, hasNewToken: before !== page.token, changes: page.changes.length,
            discarded: page.changes.flatMap(({ entries = [] }) => entries).length, differs: receiver.differs,
        });
    }
    await end(t, response, context, outcome, changes, moved);
    if (response.ownership) {
        // Known proofs stay: a restored service may have lost the list.
        for (const row of await t.all('lists')) {
            if (lacksOwnership(row)) await t.put('lists', { ...row, ownership: response.ownership[row.id] ?? '' });
        }
    }
    return { outcome, changes, moved };
}

/** One list's part of a fetch. The module decides the steps, which are the methods of the same names. */
class Receiver {
    changes = [];
    replaced = false;
    differs = false;
    /** The number of changes that are new to the person. */
    news = 0;
    /** The number of other people's new entries. */
    unread = 0;
    #t;
    #row;
    #context;
    #page;
    /** The list's state before. */
    #list;
    #plan;
    #pending;
    #window;
    #applied = null;
    #staged = [];

    /** @param {object | null} page  null: no more of a staged snapshot will come */
    constructor(t, row, page, context) {
        this.#t = t;
        this.#row = row;
        this.#context = context;
        this.#page = page;
        this.#list = asReceiving(row, context.account);
        this.#window = context.trolley.rules().reofferWindow;
    }

    async receive() {
        this.#decide();
        for (const step of this.#plan.steps) await this[step]();
    }

    #decide(taken) {
        const page = this.#page;
        this.#plan = this.#context.trolley.receiving(this.#list, page && {
            isSnapshot: page.snapshot, moreComing: page.moreComing, isEmpty: !page.changes.length, hasDigest: !!page.digest && !page.moreComing,
            through: page.through,
        }, taken);
        return this.#plan;
    }

    unstage() { return this.#t.delete('staged', ofList(this.#row.id)); }

    stage() {
        for (const change of this.#page.changes) this.#t.put('staged', { list: this.#row.id, sequence: change.sequence, change });
    }

    async clear() {
        const t = this.#t, list = this.#row.id;
        await this.#archive();
        const stored = await t.all('entries', ofList(list));
        this.#applied = new Set(stored.filter(record => !record.waiting).map(record => record.entry.id));
        await t.delete('entries', ofList(list));
        this.replaced = true;
    }

    take() { return this.#take(this.#page.changes); }

    async takeStaged() {
        this.#staged = (await this.#t.all('staged', ofList(this.#row.id))).map(record => record.change);
        await this.#take(this.#staged);
        // A restored service assigns sequences again that were read before, and has lost the later marks.
        const read = Math.min(this.#row.read ?? 0, this.#plan.through);
        Object.assign(this.#row, { read, untoldRead: read > 0 });
    }

    /** Offers the accepted entries that the snapshot lacks, because the service may have been restored. */
    async reoffer() {
        const t = this.#t, list = this.#row.id, here = new Set(this.#staged.map(change => change.entry?.id));
        for (const record of await t.all('pending', ofList(list))) {
            // What the device has offered already waits in its place.
            here.add(record.id);
            if (!record.sequence) continue;
            delete record.sequence;
            await t.put('pending', { ...record, queued: 1 });
        }
        for (const record of await t.all('confirmed', ofList(list))) {
            const { kept, ...own } = record;
            if (here.has(record.id) || this.#isOld(record)) continue;
            await t.put('pending', { ...own, estimate: record.wall, queued: 1 });
        }
        this.#pending = undefined;
    }

    /** Everything up to `through` is stored: own entries up to there have come back, or were compressed away. */
    async pass() {
        const { through } = this.#plan;
        for (const record of await this.#t.all('pending', ofList(this.#row.id))) {
            if (record.sequence && record.sequence <= through) await this.#retire(record.id);
        }
        // Ids are in the order in which entries were made, so nearly always those come first that are kept for longest.
        for (const record of await this.#t.first('confirmed', ofList(this.#row.id), 100)) {
            if (this.#isOld(record)) this.#t.delete('confirmed', [record.list, record.id]);
        }
        this.#row.through = through;
    }

    keep() {
        Object.assign(this.#row, {
            token: this.#page.token, staging: this.#plan.isStaging, published: true, local: false, received: this.#context.now.toISOString(),
        });
    }

    /** Compares the list's digest with the service's. A list that differs is fetched afresh. */
    async compare() {
        const list = this.#context.trolley.openList({ entries: await entriesOf(this.#t, this.#row.id) });
        this.differs = list.digest().confirmed !== this.#page.digest;
        list.close();
        if (!this.differs) return;
        this.#row.token = null;
        this.#row.differed = (this.#row.differed ?? 0) + 1;
        this.#row.differedAt = this.#context.now.toISOString();
    }

    /** Stores changes. */
    async #take(changes) {
        const t = this.#t, list = this.#row.id, applied = this.#applied;
        const entries = changes.filter(change => change.type === 'entry').map(change => change.entry);
        const known = [];
        if (!applied) {
            for (let from = 0; from < entries.length; from += 100) {
                known.push(...await Promise.all(entries.slice(from, from + 100).map(({ id }) => t.get('entries', [list, id], 'id'))));
            }
        }
        const records = new Map(known.filter(Boolean).map(record => [record.entry.id, record])), own = new Set();
        for (const entry of entries) if (await this.#retire(entry.id, entry)) own.add(entry.id);
        const refusals = (await t.all('rejected')).filter(record => record.list === list);
        const rejected = new Map(refusals.map(record => [record.entry.id, record]));
        const plan = this.#decide(changes.map(({ type, sequence, entry, share }) => {
            const refused = rejected.get(entry?.id)?.entry;
            return {
                type, sequence, isOwn: own.has(entry?.id), wasApplied: !!applied?.has(entry?.id), share, ...(refused && { entry, refused }),
            };
        }));
        for (const id of plan.arrived) {
            // An earlier version may have stored one twice.
            for (const { entry, key } of refusals) if (entry.id === id) t.delete('rejected', key);
            await this.#keepArrived(rejected.get(id).entry, entries.find(entry => entry.id === id));
        }
        this.#row.ownership = plan.ownership;
        this.news += plan.news.filter(Boolean).length;
        if (changes.some(change => change.type === 'discard')) await this.#archive();
        for (const [index, change] of changes.entries()) {
            if (change.type === 'entry') {
                const { entry } = change, record = records.get(entry.id);
                // The browser may have cleared the counter with everything else, and this is the same device still.
                if (entry.device === this.#context.device) this.#row.last = Math.max(this.#row.last, entry.deviceSequence);
                // An entry that the store has keeps its place in the to-apply queue.
                const waits = record ? record.waiting : plan.applied[index] ? undefined : 1;
                if (record && record.sequence !== entry.sequence) t.delete('entries', [list, record.sequence]);
                const stored = t.put('entries', { list, sequence: entry.sequence, entry, ...(waits && { waiting: 1 }) });
                if (index % 100 === 99) await stored;
                if (!waits) this.changes.push(change);
                if (plan.news[index] && entry.author !== this.#context.account) this.unread += 1;
            } else if (change.type === 'share') {
                this.#row.share = change.share;
            } else if (change.type === 'discard') {
                await this.#discard(change);
            } else {
                throw new Error(`a change of the type ${change.type}, which this version doesn't know`);
            }
        }
    }

    async #discard({ entries, anchors, ...change }) {
        const t = this.#t, list = this.#row.id;
        const keys = await Promise.all(entries.map(id => t.keys('entries', IDBKeyRange.only([list, id]), 'id')));
        for (const [key] of keys) if (key) t.delete('entries', key);
        for (const { id, after } of anchors) {
            const record = await t.get('entries', [list, id], 'id');
            if (record) t.put('entries', { ...record, entry: { ...record.entry, after } });
        }
        this.changes.push({ ...change, entries, anchors });
    }

    /** Stores the purchases before their entries are deleted. */
    async #archive() {
        const t = this.#t, list = this.#row.id, entries = await entriesOf(t, list);
        if (!entries.length) return;
        const { purchases, mostKept } = this.#context.later.purchases({ entries });
        for (const purchase of purchases) t.put('bought', { list, ...purchase });
        const kept = (await t.all('bought', ofList(list))).sort((a, b) => a.at > b.at ? -1 : 1);
        for (const { entry } of kept.slice(mostKept)) t.delete('bought', [list, entry]);
    }

    /**
     * The device's own entry has come back, and the confirmed one replaces it.
     * @param {object} [entry]  the confirmed one
     * @returns whether it was pending
     */
    async #retire(id, entry) {
        this.#pending ??= new Map((await this.#t.all('pending', ofList(this.#row.id))).map(record => [record.id, record]));
        const record = this.#pending.get(id);
        if (!record) return false;
        this.#pending.delete(id);
        await this.#t.delete('pending', [record.list, record.position]);
        await keepForRestore(this.#t, entry ? { ...record, entry: { ...record.entry, ...originOf(entry) } } : record, this.#context.now);
        return true;
    }

    /**
     * A refused entry, which has left the queue, has arrived all the same. Its place in the queue is told by its number: both advance
     * together while the list stays on the device. For an entry from before that, it is a new one.
     */
    async #keepArrived(entry, received) {
        const t = this.#t, row = this.#row, used = new Set(), kept = await t.get('confirmed', [row.id, entry.id]);
        if (kept) return keepForRestore(t, kept, this.#context.now);
        for (const store of ['pending', 'confirmed']) for (const { position } of await t.all(store, ofList(row.id))) used.add(position);
        let position = row.made - row.last + entry.deviceSequence;
        if (position < 1 || position > row.made || used.has(position)) position = ++row.made;
        await keepForRestore(t, {
            list: row.id, position, id: entry.id, entry: { ...entry, ...originOf(received) }, wall: received.madeAt, sent: true,
        }, this.#context.now);
    }

    /** Whether an entry was confirmed too long ago to be offered again. @param record  one of an earlier version has no `kept` */
    #isOld({ kept, wall }) { return Date.parse(kept ?? wall) < this.#context.now - this.#window; }
}

/** Handles the lists without a page: expired tokens, and lists that are gone. */
async function end(t, response, context, outcome, changes, moved) {
    const unknown = new Set(response.unknown ?? []);
    for (const { id, reason } of [...response.expired.map(id => ({ id })), ...response.gone]) {
        const row = await t.get('lists', id);
        if (!row) continue;
        const { step, ...after } = context.trolley.ended(
            asReceiving(row, context.account), { isGone: !!reason, isUnknown: unknown.has(id) });
        if (!step) continue;
        const list = { isGone: !!reason, step };
        outcome.push(list);
        switch (step) {
        case 'offerAgain':
        case 'keepHere':
            await keepLost(t, row, after, context);
            changes.set(id, null);
            break;
        case 'makeAnew': {
            const [to] = context.trolley.identifiers(context.now.toISOString());
            await rekey(t, row, to, context);
            moved.set(id, to);
            break;
        }
        case 'leave':
            list.keptAside = await remove(t, row, reason, context.now);
            changes.set(id, null);
            break;
        case 'fetchAfresh':
            await t.delete('staged', ofList(id));
            await keepAfter(t, row, after);
        }
    }
}

/**
 * Another account succeeds one that the service has lost.
 * @param {{account: string, now: Date, trolley: Trolley}} context  the lost account
 */
export async function adopt(t, context) {
    for (const row of await t.all('lists')) {
        const { step, ...after } = context.trolley.ended(asReceiving(row, context.account), { isAccountLost: true });
        if (!step) continue;
        await keepLost(t, row, after, context);
        // The share names the lost account as the owner.
        if (step === 'offerAgain') await t.put('lists', { ...row, share: null });
    }
}

/** Keeps what is here of a list that the service has lost. @param {object} after  its state then, as the module says it */
async function keepLost(t, row, after, context) {
    // If the list's first snapshot was still arriving, the received part is all there is.
    if (row.staging && !await t.count('entries', ofList(row.id))) await new Receiver(t, row, null, context).receive();
    await reofferAll(t, row, context);
    await keepAfter(t, row, after);
}

/** Stores a list's state after a step. */
function keepAfter(t, row, { isPublished, isLocal, ownership }) {
    Object.assign(row, { token: null, staging: false, published: isPublished, local: isLocal, ownership });
    return t.put('lists', row);
}

/**
 * Gives the person's own list a new id, because the service knows the old id as somebody else's list. The list looks the
 * same, and is created on the service with all its entries.
 */
async function rekey(t, row, id, context) {
    const old = row.id;
    await reofferAll(t, row, context);
    for (const store of LIST_STORES) {
        for (const record of await t.all(store, ofList(old))) t.put(store, { ...record, list: id });
        await t.delete(store, ofList(old));
    }
    const fold = await t.get('folds', old);
    if (fold) t.put('folds', { ...fold, list: id });
    for (const refused of await t.all('rejected')) if (refused.list === old) t.put('rejected', { ...refused, list: id });
    await Promise.all([t.delete('folds', old), t.delete('lists', old)]);
    await t.put('lists', { ...row, id, published: false, share: null, ownership: null, read: 0, untoldRead: false, unread: 0 });
}
