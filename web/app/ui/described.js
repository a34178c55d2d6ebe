// What a gesture did, in words: 'Milk added', '12 items deleted'.

import { has, t } from '../text.js';

/** What redoing does, by the operation that undid it. */
const REDONE = { add: 'delete', delete: 'add', markOff: 'unmark', unmark: 'markOff' };

/**
 * @param {object[]} gesture  the entries that are undone; of a redo, those that undid them
 * @param {'undo' | 'redo'} cause
 * @param {object[]} items  as the list shows them, and showed them before
 */
export function described(gesture, cause, items) {
    const first = gesture[0], ids = new Set(gesture.map(({ item }) => item).filter(Boolean));
    if (!ids.size) return t('did.list');
    const text = gesture.find(({ fields }) => fields?.text)?.fields.text ?? items.find(({ id }) => ids.has(id))?.text ?? '';
    // An edit without fields brings an item back.
    const made = first.operation === 'edit' && !Object.keys(first.fields ?? {}).length ? 'add' : first.operation;
    const key = `did.${cause === 'redo' ? REDONE[made] ?? made : made}`;
    return t(has(key) ? key : 'did.edit', { text: ids.size > 1 ? t('did.items', { n: ids.size }) : text });
}
