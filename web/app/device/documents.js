// Files of other programs and recipes that a person imports. The module reads them; few people need it, and it is loaded then.

import { checkSizes } from './limits.js';

/** The most that a file may have, in bytes, as ListDocument has it. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * What a person wants to import.
 * @param {import('./device.js').Device} device
 * @param {string | Blob} source  a text, or a file
 * @param {{file?: string, meanings?: string[], isFirstRowNames?: boolean, makes?: number, portions?: number}} [options]  `file`: its
 *   name
 * @returns {Promise<import('../../trolley.js').Imported>}
 */
export async function read(device, source, options = {}) {
    if ((source.size ?? source.length) > MOST_BYTES) return { problem: 'tooLarge' };
    const module = await device.documents(), text = typeof source === 'string' ? source : decoded(await source.arrayBuffer());
    if (text === null) return { problem: 'notUTF8' };
    // No message to the module can have it.
    return text.includes('\0') ? { problem: 'notText' } : module.read({ text, ...options });
}

function decoded(bytes) {
    try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
        return null;
    }
}

/**
 * Adds items to a list, as one gesture: what is there already is not added again.
 * @param {import('./device.js').Device} device
 * @param {string} id
 * @param {{fields: import('../../trolley.js').Fields, isMarkedOff?: boolean}[]} items
 * @returns {Promise<{outcome: 'added' | 'back' | 'present'}[]>}
 */
export async function addItems(device, id, items) {
    const [module, list] = await Promise.all([device.documents(), device.open(id)]);
    const goods = await device.goods().catch(() => null);
    await goods?.soon(id);
    const { drafts, added } = module.addItems(items, list.state.items, new Date().toISOString());
    checkSizes(drafts);
    // What comes with an aisle keeps it.
    try {
        goods?.place(id, drafts.filter(({ operation, fields }) => operation === 'add' && !fields.aisle));
    } catch (error) {
        console.warn('no aisle was found', error);
    }
    await device.perform(id, drafts);
    return added;
}
