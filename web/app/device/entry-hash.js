// The hash of an entry in diagnostics, as `EntryHash` in Sources/TrolleyJournal/Diagnostics: equal if all that decides the fold is
// equal. It reveals no text, because nobody can guess the random ids in it. A test compares it with `trolley diagnostics`.

import { joined, utf8 } from './bytes.js';
import { sha256 } from './sha256.js';

/** @param {object} entry  without `sequence`: it waits to be sent */
export function hashOf(entry) {
    const { id, operation, cause = 'edit', deviceSequence, item, after, batch, reverts, fields = {}, sequence, author, device, madeAt } = entry;
    const parts = [utf8('trolley-entry-1\n'), ...text(`${id} ${operation} ${cause} ${deviceSequence}`)];
    for (const value of [item, after, batch, reverts]) parts.push(...value ? [[1], ...text(value)] : [[0]]);
    const keys = Object.keys(fields).sort();
    parts.push(count(keys.length));
    for (const key of keys) parts.push(...text(key), ...valueOf(fields[key]));
    if (sequence !== undefined) parts.push(...text(`${sequence} ${author} ${device} ${madeAt}`));
    return sha256(joined(...parts)).slice(0, 16);
}

/** Every part begins with its length, so that no two entries give the same bytes. */
function text(value) {
    const bytes = utf8(value);
    return [count(bytes.length), bytes];
}

const count = number => [number >>> 24, number >>> 16 & 255, number >>> 8 & 255, number & 255];

function valueOf(value) {
    if (value === null) return [[0]];
    return typeof value === 'string' ? [[1], ...text(value)] : [[2], ...text(canonical(value))];
}

/** A value of a field that this version doesn't know, with the keys of objects in order. */
function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    return `{${Object.keys(value).sort().map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
