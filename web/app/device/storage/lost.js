// Lists that the service has lost, because it was restored from an older backup or emptied. Which of these
// steps to take, the module decides: see `ended` in trolley.js.

import { LIST_STORES, entriesOf, ofList } from './database.js';

/** Whether the account owns a list. `ownership` is the service's proof; '': it issued none; null: not asked yet. */
export function isOwn(row, account) {
    const owner = ownerOf(row.share);
    if (owner) return owner === account;
    // A snapshot that is still arriving may bring a share.
    return row.ownership === null || row.ownership === undefined ? !row.staging : row.ownership !== '';
}

export const ownerOf = share => share?.participants.find(person => person.role === 'owner')?.account;

/**
 * Who made an entry, and when: it goes with an entry that is offered again.
 * @param {string} [authorName]  of another person: a service that can't recognize the receipt says whose words they are
 */
export function originOf({ author, device, madeAt, receipt }, authorName) {
    return receipt || authorName ? { author, device, madeAt, ...(receipt && { receipt }), ...(authorName && { authorName }) } : {};
}

/** Whether this device knows that it made an entry, also if it offers the entry again. */
export async function isOwnEntry(t, { list, id, offered }) {
    const kept = offered && await t.get('confirmed', [list, id]);
    return !offered || !!kept && !kept.offered;
}

/**
 * Keeps an entry that the service has, for the case that it is restored from an older backup.
 * @param {object} record  of `pending`
 */
export async function keepForRestore(t, { queued, sequence, ...record }) {
    t.put('confirmed', { ...record, offered: !await isOwnEntry(t, record) });
}

/**
 * Puts all entries of a list into the upload queue, before newer ones. The caller stores the row.
 * @param {string | null} account  of this device: its entries need no name
 */
export async function reofferAll(t, row, account, now) {
    const names = new Map((row.share?.participants ?? []).filter(person => person.account && person.account !== account)
        .map(person => [person.account, person.name ?? person.email]));
    const entries = await entriesOf(t, row.id);
    const pending = await t.all('pending', ofList(row.id));
    const latest = entries.reduce((most, entry) => entry.madeAt > most ? entry.madeAt : most, '');
    // The service's clock may be ahead of this one. Offered entries must stay older than entries that were made here later.
    const unsent = pending.filter(record => record.queued && !record.offered).map(record => Date.parse(record.wall));
    const delay = latest ? Math.max(0, Date.parse(latest) - Math.min(now, ...unsent)) : 0;
    let position = Math.min(1, ...pending.map(record => record.position)) - entries.length;
    const here = new Set(pending.map(record => record.id));
    for (const confirmed of entries) {
        const { sequence, author, device, madeAt, receivedAt, receipt, ...entry } = confirmed;
        const wall = new Date(Date.parse(madeAt) - delay).toISOString();
        if (!here.has(entry.id)) {
            Object.assign(entry, originOf(confirmed, names.get(confirmed.author)));
            t.put('pending', { list: row.id, position, id: entry.id, entry, wall, estimate: madeAt, queued: 1, sent: true, offered: true });
        }
        position += 1;
    }
    for (const { sequence, ...record } of pending) if (sequence) t.put('pending', { ...record, queued: 1 });
    await t.delete('entries', ofList(row.id));
    await t.delete('staged', ofList(row.id));
    Object.assign(row, { token: null, staging: false, through: 0 });
}

/** Keeps somebody else's list on this device alone, until the person is invited again. */
export async function keepHere(t, row, account, now) {
    await reofferAll(t, row, account, now);
    Object.assign(row, { published: false, local: true, ownership: row.ownership ?? '' });
    await t.put('lists', row);
}

/**
 * Gives the person's own list a new id, because the service knows the old id as somebody else's list. The list looks the
 * same, and is created on the service with all its entries.
 */
export async function rekey(t, row, id, account, now) {
    const old = row.id;
    await reofferAll(t, row, account, now);
    for (const store of LIST_STORES) {
        for (const record of await t.all(store, ofList(old))) t.put(store, { ...record, list: id });
        await t.delete(store, ofList(old));
    }
    const fold = await t.get('folds', old);
    if (fold) t.put('folds', { ...fold, list: id });
    for (const refused of await t.all('rejected')) if (refused.list === old) t.put('rejected', { ...refused, list: id });
    await Promise.all([t.delete('folds', old), t.delete('lists', old)]);
    await t.put('lists', { ...row, id, published: false, share: null, ownership: null, read: 0, unread: 0 });
}

/**
 * The signed-in account succeeds one that the service has lost. Its own lists are created there again; others' lists stay on
 * this device alone.
 */
export async function adopt(t, former, now) {
    for (const row of await t.all('lists')) {
        if (row.local) continue;
        const isTheirs = !isOwn(row, former);
        await reofferAll(t, row, former, now);
        await t.put('lists', { ...row, published: false, local: isTheirs, share: isTheirs ? row.share : null });
    }
}
