// Purchases and suggestions: the rules of `PurchaseHistory` in Sources/TrolleyJournal/History. They are repeated here because
// they would add 11 KB to the module, and affect only suggestions. A test compares them with `trolley suggest`.

import { beginsWord, keyOf } from './keys.js';

/** A mark that is removed within this time was a slip. Purchases within SAME_TIME count as one. */
const SLIP = 300_000;
const SAME_TIME = 12 * 3_600_000;

/** @param {object[]} entries  confirmed entries of a list, in their order */
export function purchasesOf(entries) {
    const bought = new Map(), items = new Map();
    for (const { id, item: itemID, operation, fields = {}, cause, madeAt } of entries) {
        if (!itemID) continue;
        if (!items.has(itemID)) items.set(itemID, { fields: {}, purchase: null, ended: null });
        const item = items.get(itemID);
        if (operation === 'add' || operation === 'edit') Object.assign(item.fields, fields);
        const { text, quantity, aisle } = item.fields;
        if (operation === 'markOff' && (cause ?? 'edit') !== 'edit') {
            // Undoing the removal of a mark brings its purchase back.
            if (!item.ended) continue;
            bought.set(item.ended.entry, item.ended);
            Object.assign(item, { purchase: item.ended.entry, ended: null });
        } else if (operation === 'markOff' && typeof text === 'string') {
            Object.assign(item, { purchase: id, ended: null });
            bought.set(id, { entry: id, text, quantity: quantity ?? null, aisle: aisle ?? null, at: madeAt });
        } else if (operation === 'unmark' && bought.get(item.purchase)?.at <= madeAt) {
            // One that was made before the mark but came later doesn't remove it.
            const purchase = bought.get(item.purchase);
            const isSlip = Date.parse(madeAt) - Date.parse(purchase.at) <= SLIP;
            if (isSlip || cause === 'undo') bought.delete(purchase.entry);
            Object.assign(item, { purchase: null, ended: purchase });
        }
    }
    return [...bought.values()];
}

/** Due items first, then by the number of purchases and the latest one. Wanted items are left out. */
export function suggestionsFor(state, purchases, now, prefix = '', limit = 20) {
    const taken = new Set(state.items.filter(item => !item.markedOff).map(item => keyOf(item.text)));
    const wanted = keyOf(prefix), groups = new Map();
    for (const purchase of purchases) {
        const key = keyOf(purchase.text);
        if (taken.has(key) || !beginsWord(key, wanted)) continue;
        if (groups.has(key)) groups.get(key).push(purchase);
        else groups.set(key, [purchase]);
    }
    return [...groups.values()].map(group => suggestion(group, now)).sort((a, b) =>
        b.due - a.due || b.count - a.count || b.last - a.last || (a.text < b.text ? -1 : 1)).slice(0, limit);
}

/** What is wanted already by a name: that is not suggested. */
export function wantedBy(state, name) {
    const key = keyOf(name);
    return key ? state.items.filter(item => !item.markedOff && beginsWord(keyOf(item.text), key)) : [];
}

function suggestion(purchases, now) {
    purchases.sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : a.entry < b.entry ? -1 : 1);
    const { text, quantity, aisle, at } = purchases.at(-1);
    const gaps = [], last = Date.parse(at);
    let counted = Date.parse(purchases[0].at);
    for (const purchase of purchases.slice(1)) {
        const gap = Date.parse(purchase.at) - counted;
        if (gap < SAME_TIME) continue;
        gaps.push(gap);
        counted += gap;
    }
    gaps.sort((a, b) => a - b);
    const interval = gaps.length ? gaps[gaps.length >> 1] : Infinity;
    return { text, quantity, aisle, count: gaps.length + 1, last, due: last + interval <= now };
}
