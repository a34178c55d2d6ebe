// Making a list.

import { checkSizes } from './limits.js';

/**
 * Makes a list with all that it begins with, or nothing.
 * @param {import('./device.js').Device} device
 * @param {string} name
 * @param {string} [colour]
 * @param {object[]} [more]  changes that the list begins with
 * @returns {Promise<string>}  the list's id
 */
export async function makeList(device, name, colour, more = []) {
    const drafts = [
        { operation: 'renameList', fields: { text: name } }, ...colour ? [{ operation: 'recolourList', fields: { text: colour } }] : [], ...more,
    ];
    checkSizes(drafts);
    const trolley = await device.loaded(), now = new Date().toISOString(), [id] = trolley.identifiers(now);
    const handle = trolley.openList();
    try {
        const made = handle.append(drafts, now, 1);
        await device.store.addList(id, made, now);
        await device.lists.reloadRows();
        await device.open(id);
        device.noteQueued(id, made);
    } catch (error) {
        device.noteTrouble(error);
        throw error;
    } finally {
        handle.close();
    }
    return id;
}
