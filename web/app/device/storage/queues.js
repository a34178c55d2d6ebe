// The upload queue, with the person's changes that the service has not confirmed, and the to-apply queue.

import { flagged, ofList } from './database.js';
import { lacksOwnership } from './incoming.js';
import { isOwnEntry, keepForRestore } from './lost.js';

/** The first entries of a queue: those of an upload and of the next one. */
const REACH = 2000;

// MARK: What is in them

/** What the engine looks at first. */
export async function status(t) {
    const lists = await t.all('lists');
    return {
        lists: await Promise.all(lists.map(async row => ({
            id: row.id, isPublished: row.published, isLocal: row.local, isShopping: row.shopping,
            ...(row.token && { token: row.token }),
            waiting: await t.count('pending', flagged(row.id), 'queued'),
            toApply: await t.count('entries', flagged(row.id), 'waiting'),
        }))),
        pace: await t.get('meta', 'pace'),
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

/** The report of both queues for a fetch: counts, ages and codes. */
export function report({ lists, rejected, pace }, now) {
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
        t.put('pending', { list, position: row.made, id: entry.id, entry, wall, estimate: madeAt, queued: 1 });
        // Messages are not undone.
        if (record.replaced) t.put('undo', { list, position: row.made, id: entry.id, record });
    }
    await t.put('lists', row);
    return row.last;
}

/** The upload queue's first entries; `isOwn`: made on this device, even if they are offered again. */
export async function waiting(t, list, limit) {
    const records = await (limit ? t.first('pending', flagged(list), limit, 'queued') : t.all('pending', flagged(list), 'queued'));
    for (const record of records) record.isOwn = await isOwnEntry(t, record);
    return records.sort((a, b) => a.position - b.position);
}

/** Notes that these are about to be sent: from now on their content must not change. */
export async function noteSending(t, list, entries) {
    for (const id of entries) {
        const record = await t.get('pending', [list, id], 'id');
        if (record && !record.sent) await t.put('pending', { ...record, sent: true });
    }
}

/**
 * Records that an upload has ended, with an answer or without: what the person did meanwhile must not count as done before
 * what was sent. See `QueueStore.noteUploadEnded` in Sources/TrolleySync.
 * @param {number} age  with which the youngest own entry was sent
 * @param {Date} now
 * @param {string} [latest]  the latest `madeAt` in the answer
 */
export async function noteUploadEnded(t, list, age, now, latest = '') {
    const wall = new Date(now - age).toISOString();
    for (const record of await t.first('pending', flagged(list), REACH, 'queued')) {
        if (record.sent || record.offered || record.wall >= wall) continue;
        t.put('pending', { ...record, wall, estimate: record.estimate > latest ? record.estimate : latest });
    }
}

/**
 * Settles entries of the upload queue.
 * @returns {Promise<string[]>}  the rejected ones
 */
export async function settle(t, list, verdicts, now) {
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
            await keepForRestore(t, record);
        }
    }
    return refused;
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
