// Changing where a person keeps their lists. It is stored at once; the leading tab tells the service, and with it the person's
// other devices. With their places it tells and asks how far the person has read.

import { inOrder, isArchived, isPinned, rankOf } from './places.js';
import { tellRead } from './seen.js';
import * as places from './storage/places.js';
import { noteRead } from './storage/read.js';
import { CallError, call } from './transport.js';

/** As in `ListPlace`. */
const STEP = 2 ** 20;

/**
 * The ranks with which a list stands at an index among others: its own and, where none was left between its neighbours, those of
 * lists behind it. The same as `ListPlace.ranks` in Sources/TrolleyWire.
 * @returns {Map<string, number>}
 */
export function ranks(id, index, others) {
    const known = others.map(rankOf);
    if (index === 0) return new Map([[id, known.length ? known[0] - STEP : 0]]);
    const before = known[index - 1];
    if (index >= known.length) return new Map([[id, before + STEP]]);
    const middle = before + Math.trunc((known[index] - before) / 2);
    if (middle > before && middle < known[index]) return new Map([[id, middle]]);
    let last = before + STEP;
    const changed = new Map([[id, last]]);
    for (let place = index; place < known.length && known[place] <= last; place++) {
        last += STEP;
        changed.set(others[place].id, last);
    }
    return changed;
}

/** The lists among which one is moved: pinned and archived ones stand apart. */
export const neighbours = (rows, row) =>
    inOrder([...rows].filter(other => isArchived(other) === isArchived(row) && isPinned(other) === isPinned(row)));

/** Moves a list by some places, -1 for up. */
export function move(device, id, by) {
    const rows = neighbours(device.rows.values(), device.rows.get(id));
    const others = rows.filter(row => row.id !== id), index = rows.findIndex(row => row.id === id) + by;
    if (index < 0 || index > others.length) return Promise.resolve(true);
    return arrange(device, new Map([...ranks(id, index, others)].map(([list, rank]) => [list, { rank }])));
}

/**
 * @param {Map<string, {pinned?: boolean, archived?: boolean, rank?: number}>} changes  by list
 * @returns {Promise<boolean>}  whether it is stored
 */
export function arrange(device, changes) {
    return device.attempt(async () => {
        await device.store.changeLists(t => places.change(t, changes));
        for (const id of changes.keys()) await device.refresh(id);
        device.sync('ownChange');
    });
}

/** Problems that concern one list alone. */
const OF_ONE_LIST = new Set(['listNotFound', 'listDeleted', 'invalidArguments']);

/** When to ask where the other devices have put lists: the page opens, or is connected again (and hears `placed`); the person asks. */
const ASKING = new Set(['launch', 'network', 'manual']);

/** Whether what the person has read elsewhere may change a count that shows. After an own change nobody looks at the counts. */
const mayBeRead = (device, trigger) => trigger !== 'ownChange' && [...device.rows.values()].some(row => row.unread);

/** Tells the service what was arranged and read here, and asks it, after a run with this trigger. The next run repeats what fails. */
export async function exchange(device, trigger) {
    // Of this session: another person may sign in meanwhile.
    const { store } = device;
    const note = async (id, place, told) => {
        if (await store.changeLists(t => places.note(t, id, place, told))) await device.refresh(id);
    };
    const tell = async work => {
        try {
            await work();
        } catch (error) {
            if (!OF_ONE_LIST.has(error.code)) throw error;
        }
    };
    try {
        for (const { id, published, local, place, untold, read, untoldRead } of await store.lists()) {
            if (!published || local) continue;
            if (untold?.length) {
                const told = Object.fromEntries(untold.map(part => [part, place[part]]));
                await tell(async () => note(id, await call('PATCH', `lists/${id}/place`, told), told));
            }
            if (untoldRead) await tell(async () => await tellRead(store, id, read) && device.refresh(id));
        }
        if (!ASKING.has(trigger) && !mayBeRead(device, trigger)) return;
        for (const { id, place, readThrough } of (await call('GET', 'lists')).lists) {
            if (place) await note(id, place);
            if (readThrough && await store.changeLists(t => noteRead(t, id, readThrough, store.account), ['lists', 'entries'])) await device.refresh(id);
        }
    } catch (error) {
        if (!(error instanceof CallError)) device.noteTrouble(error);
    }
}
