// The shops of a list.

import { keyOf } from './keys.js';

/**
 * The names of a list's shops, then those that only items name. The same as `ListState.namedShops` in Sources/TrolleyJournal.
 * @param {{shops?: {name: string}[], items: {fields: object}[]}} state
 * @returns {string[]}
 */
export function shopsOf({ shops = [], items }) {
    const names = new Map();
    for (const name of [...shops.map(({ name }) => name), ...items.map(({ fields }) => fields.shop)]) {
        if (typeof name === 'string' && name && !names.has(keyOf(name))) names.set(keyOf(name), name);
    }
    return [...names.values()];
}
