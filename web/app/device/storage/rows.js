// The records of lists: what comes and goes with one.

import { LIST_STORES, flagged, ofList } from './database.js';

/** The stores that an answer of the service may change. */
export const RECEIVING_STORES = [...LIST_STORES, 'lists', 'meta', 'folds', 'rejected', 'notices'];

/** A list that is new on this device, or returns: then the device's counter continues. @param {Transaction} t  includes `meta` */
export async function newList(t, id, values) {
    return {
        id, published: true, local: false, shopping: false, token: null, staging: false, through: 0, received: null,
        share: null, ownership: null, made: 0, last: await t.get('meta', counterOf(id)) ?? 0, unread: 0, ...values,
    };
}

/** The key in `meta` of the counter of a list that has left. */
const counterOf = list => `last ${list}`;
/** The keys of all such counters. */
export const COUNTERS = () => IDBKeyRange.bound('last ', 'last!');

/** Whether the service has not yet said who owns the list. */
export const lacksOwnership = row => row.published && !row.local && (row.ownership === null || row.ownership === undefined);

/** Whether a page removes entries of a list from this device. Then their purchases must be stored. @param row  undefined: a new list */
export const endsEntries = (page, row) => !!row && row.through > 0
    && (page.snapshot || row.staging || page.changes.some(change => change.type === 'discard'));

/** Stores refused changes. What was refused before, and offered again to a restored service, is shown once. */
export async function refuse(t, refused) {
    if (!refused.length) return;
    const known = new Set((await t.all('rejected')).map(({ entry }) => entry.id));
    for (const each of refused) if (!known.has(each.entry.id)) await t.put('rejected', each);
}

/** Removes a list from the device. Unsent entries become rejected ones, which the person sees. */
export async function remove(t, row, reason, now) {
    const at = now.toISOString();
    const fold = await t.get('folds', row.id);
    const listName = fold?.state.name ?? null;
    const unsent = await t.all('pending', flagged(row.id), 'queued');
    await refuse(t, unsent.map(({ entry }) => ({ list: row.id, listName, entry, code: 'listDeleted', detail: reason, at })));
    if (row.last) await t.put('meta', row.last, counterOf(row.id));
    await forget(t, row.id);
    if (reason) await t.put('notices', { list: row.id, listName, reason, keptAside: unsent.length, at });
    return unsent.length;
}

export async function forget(t, list) {
    for (const store of LIST_STORES) await t.delete(store, ofList(list));
    await t.delete('lists', list);
    await t.delete('folds', list);
}
