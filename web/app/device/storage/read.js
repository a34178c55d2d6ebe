// How far the person has read a list, on any of their devices.

/**
 * Takes the account's read mark as the service has it: others' changes up to it are unread no more.
 * @param {object} t  over the lists and the entries
 * @returns {Promise<boolean>}  whether the list's record is another one now
 */
export async function noteRead(t, list, through, account) {
    const row = await t.get('lists', list), known = row?.read ?? 0, read = Math.max(through, known);
    // Changes that came after a mark that was ahead of them are counted, too.
    if (!row || (read === known && !row.unread)) return false;
    const later = await t.all('entries', IDBKeyRange.bound([list, read], [list, []], true));
    const unread = Math.min(row.unread, later.filter(({ entry }) => entry.author !== account).length);
    if (read === known && unread === row.unread) return false;
    await t.put('lists', { ...row, read, unread });
    return true;
}
