// A list that begins with what another one has: its items, all of them wanted, its order of aisles and its shops. The same as `ListTemplate` in
// Sources/TrolleyJournal.

/**
 * @param {{identifiers: (at: string, count: number) => string[]}} trolley
 * @param {{aisles?: string[], shops?: {name: string, aisles?: string[]}[]}} state  of the other list
 * @param {{fields: object}[]} items  those that the person has chosen
 * @returns {object[]}  the changes that the new list begins with
 */
export function beginnings(trolley, { aisles, shops }, items) {
    const ids = items.length ? trolley.identifiers(new Date().toISOString(), items.length) : [];
    return [
        ...ordersOf(aisles, shops),
        ...items.map(({ fields }, index) => ({ operation: 'add', item: ids[index], after: ids[index - 1] ?? null, fields })),
    ];
}

/** The changes that put a list's aisles in this order, if there are any, and that add its shops. */
export const ordersOf = (aisles = [], shops = []) => [
    ...aisles.length ? [['aisles', aisles]] : [], ...shops.map(({ name, aisles = [] }) => [`aisles:${name}`, aisles]),
].map(([field, order]) => ({ operation: 'recolourList', fields: { [field]: order.join('\n') } }));
