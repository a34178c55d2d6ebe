// A list that begins with what another one has: its items, all of them wanted, and its order of aisles. The same as `ListTemplate` in
// Sources/TrolleyJournal.

/**
 * @param {{identifiers: (at: string, count: number) => string[]}} trolley
 * @param {{aisles?: string[]}} state  of the other list
 * @param {{fields: object}[]} items  those that the person has chosen
 * @returns {object[]}  the changes that the new list begins with
 */
export function beginnings(trolley, { aisles = [] }, items) {
    const ids = items.length ? trolley.identifiers(new Date().toISOString(), items.length) : [];
    return [
        ...orderOf(aisles),
        ...items.map(({ fields }, index) => ({ operation: 'add', item: ids[index], after: ids[index - 1] ?? null, fields })),
    ];
}

/** The change that puts a list's aisles in this order, if there are any. */
export const orderOf = (aisles = []) => aisles.length ? [{ operation: 'recolourList', fields: { aisles: aisles.join('\n') } }] : [];
