// How far the person has read a list, on any of their devices: `read` in its record, and `untoldRead` if the service doesn't know it yet.

/**
 * Others' changes up to a sequence are before the person, on this device.
 * @param {object} t  over the lists
 * @returns {Promise<boolean>}  whether the list's record is another one now
 */
export async function see(t, list, through) {
    const row = await t.get('lists', list), isFurther = through > (row?.read ?? 0);
    if (!row || !(isFurther || row.unread)) return false;
    await t.put('lists', { ...row, unread: 0, ...isFurther && { read: through, untoldRead: true } });
    return true;
}

/**
 * Takes the account's read mark as the service has it: others' changes up to it are unread no more.
 * @param {object} t  over the lists and the entries
 * @returns {Promise<boolean>}  whether the list's record is another one now
 */
export async function noteRead(t, list, through, account) {
    const row = await t.get('lists', list), known = row?.read ?? 0, read = Math.max(through, known);
    // Changes that came after a mark that was ahead of them are counted, too.
    if (!row || (read === known && !row.unread && !row.untoldRead)) return false;
    const later = await t.all('entries', IDBKeyRange.bound([list, read], [list, []], true));
    const unread = Math.min(row.unread, later.filter(({ entry }) => entry.author !== account).length);
    const untoldRead = !!row.untoldRead && through < read;
    if (read === known && unread === row.unread && untoldRead === !!row.untoldRead) return false;
    await t.put('lists', { ...row, read, unread, untoldRead });
    return true;
}
