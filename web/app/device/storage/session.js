// Who is signed in, as it is stored, and what becomes of the stored lists when that changes.

import { LIST_STORES, STORES, StorageError, flagged, ofList } from './database.js';
import { COUNTERS, forget } from './rows.js';

/** Lets `work` write only for a session. It may have ended meanwhile, also in another tab; then nothing is stored. */
export const during = (session, work) => async t => {
    const { account, device } = await t.get('meta', 'session') ?? {};
    const isThis = session && account?.id === session.account.id && device?.id === session.device?.id;
    if (!isThis) throw new StorageError('signedOut');
    return work(t);
};

/** Somebody signs in who was not signed in. What another account has left behind goes. @param {Trolley} trolley */
export async function begin(t, session, trolley) {
    const former = await t.get('meta', 'session') ?? await t.get('meta', 'left');
    if (former?.account.id === session.account.id) await renumber(t, trolley);
    else await empty(t);
    await t.delete('meta', 'left');
    await t.put('meta', session, 'session');
}

/**
 * Signing in again makes a new device: unsent entries are numbered anew.
 * @param {string} former  the account until now
 * @param {(t: Transaction, context: object) => Promise<void>} adopt  of incoming.js
 */
export async function succeed(t, session, former, adopt, now, trolley) {
    await t.put('meta', session, 'session');
    if (former !== session.account.id) await adopt(t, { account: former, now, trolley });
    await renumber(t, trolley);
}

/**
 * The browser was signed out elsewhere. What the service can send again goes; unsent changes and what was kept on this device
 * alone wait for the account, unseen.
 * @returns {Promise<{account: object, waiting: number}>}  for the page that is shown then
 */
export async function leave(t, { account }) {
    let waiting = 0;
    for (const row of await t.all('lists')) {
        if (row.local) continue;
        const queued = await t.count('pending', flagged(row.id), 'queued');
        waiting += queued;
        if (!queued) {
            await forget(t, row.id);
            continue;
        }
        for (const store of LIST_STORES) if (store !== 'pending') t.delete(store, ofList(row.id));
        for (const { list, position, queued } of await t.all('pending', ofList(row.id))) if (!queued) t.delete('pending', [list, position]);
        t.delete('folds', row.id);
        t.put('lists', { ...row, token: null, staging: false, through: 0, unread: 0 });
    }
    for (const name of ['session', 'pace', 'push', 'links', 'together']) t.delete('meta', name);
    await t.put('meta', { account, waiting }, 'left');
    return { account, waiting };
}

/** Deletes everything except language and look. */
export async function empty(t) {
    const settings = await t.get('meta', 'settings');
    for (const store of STORES) t.clear(store);
    if (settings) await t.put('meta', settings, 'settings');
}

/** Numbers the unsent entries for a new device. */
async function renumber(t, trolley) {
    await t.delete('meta', COUNTERS());
    for (const row of await t.all('lists')) {
        const queued = (await t.all('pending', flagged(row.id), 'queued')).sort((a, b) => a.position - b.position);
        const { numbers, last } = trolley.renumber(queued.map(({ entry, sent, offered }) => (
            { number: entry.deviceSequence, isSent: sent === true, isOffered: offered === true })));
        for (const [index, record] of queued.entries()) {
            if (numbers[index] === null) continue;
            record.entry.deviceSequence = numbers[index];
            await t.put('pending', record);
        }
        await t.put('lists', { ...row, last });
    }
}
