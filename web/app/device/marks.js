// Two people have marked off one item at nearly the same time: found in the journal, without a room.

/** Entries before the new ones in which the other mark may be. */
const LOOK_BACK = 500;

/**
 * @param {object[]} changes  that have arrived, stored and not yet shown
 * @returns {Promise<Map<string, string[]>>}  the items, by the account of the other person
 */
export async function doubleBuys(device, list, changes) {
    const news = changes.filter(({ entry }) => entry?.operation === 'markOff').map(({ entry }) => entry);
    const items = new Set(news.map(entry => entry.item));
    const recent = (await device.store.latest(list, LOOK_BACK)).filter(entry => items.has(entry.item));
    const found = new Map(), me = device.session?.account.id;
    // Loads the module only if somebody else has marked off one of them, too.
    const authors = item => new Set(recent.filter(entry => entry.item === item && entry.operation === 'markOff').map(entry => entry.author));
    if (![...items].some(item => authors(item).size > 1)) return found;
    for (const { item, first, second } of (await device.later()).doubleBuys(recent, news.map(entry => entry.id))) {
        if (first !== me && second !== me) continue;
        const by = first === me ? second : first;
        found.set(by, [...(found.get(by) ?? []), item]);
    }
    return found;
}
