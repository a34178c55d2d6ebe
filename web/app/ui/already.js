// What is added is on the list already, in another quantity: one row for both, or two.

import { t } from '../text.js';
import { sum } from './quantity.js';
import { choose } from './sheet.js';

/**
 * Lets the person decide.
 * @param {object} item  that is on the list
 * @param {string} quantity  the added one
 * @param {() => Promise<unknown>} add  adds a row of its own
 * @returns {Promise<number>}  how many lines are taken: 0 or 1
 */
export async function decide({ changes, rows }, item, quantity, add) {
    const there = item.fields.quantity || '', both = sum(there || '1', quantity);
    const making = value => [t('already.make', { quantity: value }), () => changes.edit(item.id, { quantity: value })];
    const ways = [[t('already.add'), add], making(quantity), ...both ? [making(both)] : []];
    const text = there ? t('already.quantity', { there, quantity }) : t('already.none', { quantity });
    const choice = await choose(t('add.present', { text: item.text }), text, ways.map(([label]) => label));
    if (choice === null || !await ways[choice][1]()) return 0;
    rows.reveal(item.id);
    return 1;
}
