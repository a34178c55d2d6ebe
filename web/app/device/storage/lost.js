// Lists that the service has lost, because it was restored from an older backup or emptied. Which of these
// steps to take, the module decides: see `ended` in trolley.js.

import { entriesOf, ofList } from './database.js';

/** A list's record as the module takes it. @param {string | null} account  the one that asks whose the list is */
export const asReceiving = ({ token, staging, through, local, published, share, ownership }, account) => ({
    token, isStaging: staging, through, isLocal: local, isPublished: published, share, ownership, account,
});

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
 * @param {Date} now  it may have been made long before
 */
export async function keepForRestore(t, { queued, sequence, ...record }, now) {
    t.put('confirmed', { ...record, offered: !await isOwnEntry(t, record), kept: now.toISOString() });
}

/**
 * Puts all entries of a list into the upload queue, before newer ones. The caller stores the row.
 * @param {{account: string | null, now: Date, trolley: Trolley}} context  the account of this device, whose entries need no name
 */
export async function reofferAll(t, row, { account, now, trolley }) {
    const names = new Map((row.share?.participants ?? []).filter(person => person.account && person.account !== account)
        .map(person => [person.account, person.name ?? person.email]));
    const entries = await entriesOf(t, row.id);
    const pending = await t.all('pending', ofList(row.id));
    const unsent = pending.filter(record => record.queued && !record.offered).map(record => record.wall).sort()[0];
    const { position, walls } = trolley.offer(
        entries.map(({ madeAt }) => madeAt), { first: pending[0]?.position, unsent, at: now.toISOString() });
    const here = new Set(pending.map(record => record.id));
    for (const [index, confirmed] of entries.entries()) {
        const { sequence, author, device, madeAt, receivedAt, receipt, ...entry } = confirmed;
        if (here.has(entry.id)) continue;
        Object.assign(entry, originOf(confirmed, names.get(confirmed.author)));
        t.put('pending', {
            list: row.id, position: position + index, id: entry.id, entry, wall: walls[index], estimate: madeAt, queued: 1, sent: true,
            offered: true,
        });
    }
    for (const { sequence, ...record } of pending) if (sequence) t.put('pending', { ...record, queued: 1 });
    await t.delete('entries', ofList(row.id));
    await t.delete('staged', ofList(row.id));
    Object.assign(row, { token: null, staging: false, through: 0 });
}
