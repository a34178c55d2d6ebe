// What the device reads of one list.

import { entriesOf, flagged, ofList } from './database.js';

/** The entries from which the shown list is folded. */
export async function journal(t, list) {
    const [entries, pending, undo, passed, unseen, row] = await Promise.all([
        t.all('entries', ofList(list)), pendingOf(t, list), t.all('undo', ofList(list)), t.all('passed', ofList(list)),
        t.all('unseen', ofList(list)), t.get('lists', list),
    ]);
    return {
        row,
        waiting: entries.filter(record => record.waiting).map(record => record.entry),
        stored: {
            entries: entries.filter(record => !record.waiting).map(record => record.entry),
            pending,
            records: undo.map(record => record.record),
            passed: passed.map(record => record.id),
            unseen: unseen.map(({ item, entry }) => ({ item, entry })),
        },
    };
}

/** The changing parts of a list, without its confirmed entries. */
export async function brief(t, list) {
    const [row, pending, waiting] = await Promise.all([
        t.get('lists', list), pendingOf(t, list), t.all('entries', flagged(list), 'waiting'),
    ]);
    return { row, pending, waiting: waiting.map(record => record.entry) };
}

/** Everything from which a list's trips are inferred, also what waits to be shown. */
export async function past(t, list) {
    const [entries, pending, bought] = await Promise.all([entriesOf(t, list), pendingOf(t, list), boughtOf(t, list)]);
    return { entries, pending, bought };
}

/** The last confirmed entries of a list, oldest first. */
export async function latest(t, list, count) {
    const row = await t.get('lists', list);
    const range = IDBKeyRange.bound([list, Math.max(0, (row?.through ?? 0) - count)], [list, []]);
    return (await t.all('entries', range)).map(record => record.entry);
}

/** What a room has to know: the unconfirmed entries, at most so many, and which of some entries are in the journal. */
export async function waitingAndArrived(t, list, ids, most) {
    const [row, pending, counts] = await Promise.all([
        t.get('lists', list), t.first('pending', ofList(list), most),
        Promise.all(ids.map(id => t.count('entries', IDBKeyRange.only([list, id]), 'id'))),
    ]);
    return {
        waiting: pending.map(record => record.entry), arrived: ids.filter((_, index) => counts[index] > 0),
        through: row?.through ?? 0,
    };
}

const boughtOf = async (t, list) => (await t.all('bought', ofList(list))).map(({ list: _, ...purchase }) => purchase);

const pendingOf = async (t, list) => (await t.all('pending', ofList(list))).map(
    ({ entry, estimate, queued }) => ({ entry: quoted(entry), madeAt: estimate, isQueued: queued === 1 }));

/** Somebody else's message that is offered again, as it is shown: it names its writer. */
function quoted({ author, device, madeAt, receipt, authorName, ...entry }) {
    const isTheirs = authorName && entry.operation === 'message' && !entry.fields?.writtenAt;
    return isTheirs ? { ...entry, fields: { ...entry.fields, writtenBy: authorName, writtenAt: madeAt } } : entry;
}
