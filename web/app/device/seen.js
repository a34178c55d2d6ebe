// What the person has seen of a list: stored at once, then told to the service, and so to the person's other devices.

import { noteRead, see } from './storage/read.js';
import { call } from './transport.js';

/** The list is on the screen. */
export async function noteSeen(device, id) {
    const { store } = device, row = device.rows.get(id), waiting = device.opened(id)?.waiting[0];
    if (!row) return;
    const through = waiting ? waiting.sequence - 1 : row.through, { unread, read = 0 } = row;
    // Mostly nothing is new.
    if (!unread && through <= read || !await store.changeLists(t => see(t, id, through))) return;
    row.read = Math.max(read, through);
    if (unread) await device.refresh(id);
    // Otherwise the next sync tells it, as it does if this fails.
    if (row.published && !row.local && through > read && navigator.onLine) await tellRead(store, id, through);
}

/** What is being told: a sync may begin meanwhile. */
const telling = new Map();

/** Tells the service how far the person has read. @returns {Promise<boolean>}  whether the list's record is another one now */
export function tellRead(store, id, read) {
    const mark = `${id} ${read}`;
    if (!telling.has(mark)) telling.set(mark, tell(store, id, read).finally(() => telling.delete(mark)));
    return telling.get(mark);
}

async function tell(store, id, read) {
    const { through } = await call('PUT', `lists/${id}/read`, { through: read });
    return store.changeLists(t => noteRead(t, id, through, store.account), ['lists', 'entries']);
}

/** The person has the messages before them. */
export async function noteHeard(device, id, list) {
    const heard = list.handle.messages({ limit: 1 }).messages.at(-1)?.sequence ?? 0;
    if (heard <= (device.rows.get(id)?.heard ?? 0)) return;
    await device.store.change(id, { heard });
    await device.refresh(id);
}
