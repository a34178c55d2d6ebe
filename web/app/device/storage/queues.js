// The upload queue, with the person's changes that the service has not confirmed, and the to-apply queue.

import { flagged, ofList } from './database.js';
import { isOwnEntry, keepForRestore } from './lost.js';
import { lacksOwnership, refuse } from './rows.js';

// MARK: What is in them

/** What the engine looks at first. */
export async function status(t) {
    const lists = await t.all('lists'), retryState = await t.get('meta', 'pace');
    return {
        lists: await Promise.all(lists.map(async row => ({
            id: row.id, isPublished: row.published, isLocal: row.local, isShopping: row.shopping,
            ...(row.token && { token: row.token }),
            waiting: await t.count('pending', flagged(row.id), 'queued'),
            toApply: await t.count('entries', flagged(row.id), 'waiting'),
        }))),
        ...(retryState && { retryState }),
        lacksOwnership: lists.some(lacksOwnership),
    };
}

/** Both queues, with all entries. */
export async function all(t) {
    return {
        lists: await Promise.all((await t.all('lists')).map(async row => ({
            row,
            upload: (await t.all('pending', ofList(row.id))).filter(record => record.queued),
            toApply: (await t.all('entries', flagged(row.id), 'waiting')).map(record => record.entry),
        }))),
        rejected: await t.all('rejected'), notices: await t.all('notices'), pace: await t.get('meta', 'pace'),
    };
}

/** What the report on both queues is made of. @param {object} queues  as `all` */
export function reported({ lists, rejected, pace }) {
    return {
        lists: lists.filter(({ row }) => !row.local).map(({ row, upload, toApply }) => ({
            id: row.id,
            waiting: upload.map(({ entry, wall }) => ({ operation: entry.operation, number: entry.deviceSequence, wall })),
            toApply: toApply.map(({ operation }) => operation),
        })),
        failures: [...pace?.lately ?? [], ...rejected.map(({ code, at }) => ({ code, count: 1, at }))],
    };
}

// MARK: The way of the person's changes

/**
 * Adds the person's new entries to the list and to its upload queue. The store numbers them.
 * @param {object} row  the list's record
 * @param {{madeAt: string, records: object[]}} made  from the module
 * @returns {Promise<number>}  the last number
 */
export async function append(t, row, { madeAt, records }, wall) {
    const list = row.id;
    for (const record of records) {
        // Another tab may have used the number that the module got.
        row.last += 1;
        row.made += 1;
        record.entry.deviceSequence = row.last;
        const { entry } = record;
        const stored = t.put('pending', { list, position: row.made, id: entry.id, entry, wall, estimate: madeAt, queued: 1 });
        // Messages are not undone.
        if (record.replaced) t.put('undo', { list, position: row.made, id: entry.id, record });
        // Lets the page draw meanwhile.
        if (row.made % 100 === 0) await stored;
    }
    await t.put('lists', row);
    return row.last;
}

/** The upload queue's first entries; `isOwn`: made on this device, even if they are offered again. */
export async function waiting(t, list, limit) {
    const records = await (limit ? t.first('pending', flagged(list), limit, 'queued') : t.all('pending', flagged(list), 'queued'));
    records.sort((a, b) => a.position - b.position);
    return Promise.all(records.map(async record => ({
        id: record.id, entry: record.entry, wall: record.wall, isOffered: record.offered === true, isOwn: await isOwnEntry(t, record),
    })));
}

/** Notes that these are about to be sent: from now on their content must not change. */
export async function noteSending(t, list, entries) {
    for (const id of entries) {
        const record = await t.get('pending', [list, id], 'id');
        if (record && !record.sent) await t.put('pending', { ...record, sent: true });
    }
}

/**
 * Records that an upload has ended: entries of the queue may get new times.
 * @param {(queued: object[]) => (object | null)[]} decide  the module's `uploadEnded`
 * @param {{sent: string[], reach: number}} upload  the ids of what was sent; how many of the queue's first entries matter
 */
export async function noteUploadEnded(t, list, decide, { sent, reach }) {
    const records = await t.first('pending', flagged(list), reach, 'queued'), ids = new Set(sent);
    const queued = await Promise.all(records.map(async ({ id, wall, estimate, offered, sent }) => ({
        wall, estimate, isSent: ids.has(id), isOffered: offered,
        // Only an entry that was sent before can be there.
        isConfirmed: sent && !ids.has(id) && !!await t.get('confirmed', [list, id]),
    })));
    if (!queued.length) return;
    for (const [index, times] of decide(queued).entries()) {
        const stored = times && t.put('pending', { ...records[index], ...times });
        if (index % 100 === 99) await stored;
    }
}

/**
 * Settles entries of the upload queue.
 * @param {(through: number) => object} decide  the module's `settle`
 * @returns {Promise<object>}  what it has decided
 */
export async function settle(t, list, decide, now) {
    const row = await t.get('lists', list);
    // The list may have left the device while its entries were being sent.
    const settlement = decide(row?.through ?? 0);
    const listName = (await t.get('folds', list))?.state.name ?? null;
    const record = async id => {
        const record = await t.get('pending', [list, id], 'id');
        if (record) delete record.queued;
        return record;
    };
    for (const { entry, sequence } of settlement.taken) {
        const taken = await record(entry);
        if (taken) await t.put('pending', { ...taken, sequence });
    }
    for (const id of settlement.retired) {
        const retired = await record(id);
        if (!retired) continue;
        t.delete('pending', [list, retired.position]);
        await keepForRestore(t, retired, now);
    }
    const refusals = [];
    for (const { entry: id, code, detail } of settlement.refused) {
        const refused = await record(id);
        if (!refused) continue;
        refusals.push({ list, listName, entry: refused.entry, code, detail, at: now.toISOString() });
        t.delete('pending', [list, refused.position]);
        const [undo] = await t.keys('undo', IDBKeyRange.only([list, id]), 'id');
        if (undo) t.delete('undo', undo);
    }
    await refuse(t, refusals);
    return settlement;
}

// MARK: The way of others' changes

/**
 * Applies entries of a list's to-apply queue.
 * @param {(waiting: object[], received: string) => {apply: string[], unseen: object[]}} decide
 * @returns {Promise<object[]>}  the applied entries
 */
export async function apply(t, list, decide) {
    const row = await t.get('lists', list);
    const records = await t.all('entries', flagged(list), 'waiting');
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
}
