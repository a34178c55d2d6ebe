// Two people have changed one field of an item, neither knowing of the other's change: found in the journal, for both.

import { madeAt } from './undo.js';

/** Entries before the new ones in which the person's own change may be. */
const LOOK_BACK = 500;
const FIELDS = ['text', 'quantity', 'note', 'aisle', 'shop'];

/**
 * @param {object[]} changes  that have arrived, stored and not yet shown
 * @returns {Promise<{by: string, item: string, key: string, theirs: string | null, mine: string | null, isMineShown: boolean}[]>}
 */
export async function conflicts(device, list, changes) {
    const { account, device: own } = device.session;
    const theirs = changes.map(({ entry }) => entry).filter(entry => isEdit(entry) && entry.author !== account.id);
    if (!theirs.length) return [];
    const { waiting } = await device.store.waitingAndArrived(list, []);
    const recent = (await device.store.latest(list, LOOK_BACK)).filter(entry => entry.device === own.id);
    const mine = [...recent, ...waiting].filter(isEdit), found = new Map();
    for (const entry of theirs) {
        for (const key of FIELDS.filter(key => key in entry.fields)) {
            // They had not received it when they made theirs. Theirs has arrived after it was made here.
            const other = mine.findLast(({ item, fields, receivedAt }) =>
                item === entry.item && key in fields && (!receivedAt || entry.madeAt < receivedAt));
            if (!other || other.fields[key] === entry.fields[key]) continue;
            found.set(`${entry.item} ${key}`, {
                by: entry.author, item: entry.item, key, theirs: entry.fields[key], mine: other.fields[key],
                isMineShown: Date.parse(entry.madeAt) < (other.madeAt ? Date.parse(other.madeAt) : madeAt(other.id)),
            });
        }
    }
    return [...found.values()];
}

const isEdit = entry => entry?.operation === 'edit' && (entry.cause ?? 'edit') === 'edit' && !!entry.fields;
