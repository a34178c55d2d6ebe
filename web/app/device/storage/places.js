// Where a person keeps their lists, as it is stored: `place` in a list's record, and in `untold` the parts of it that the service
// has not been told.

export async function change(t, changes) {
    for (const [id, parts] of changes) {
        const row = await t.get('lists', id);
        if (!row) continue;
        const place = { ...row.place }, untold = new Set(row.untold);
        for (const [part, value] of Object.entries(parts)) {
            if (place[part] === value) continue;
            place[part] = value;
            untold.add(part);
        }
        await t.put('lists', { ...row, place, untold: [...untold] });
    }
}

/**
 * Takes a place as the service has it. What was changed here and not told stays.
 * @param {object} [told]  what the service has just been told
 * @returns {Promise<boolean>}  whether the place is another one now
 */
export async function note(t, id, answer, told) {
    const row = await t.get('lists', id);
    if (!row) return false;
    const own = row.place ?? {};
    // What was changed again since has not been told.
    const untold = (row.untold ?? []).filter(part => !told || !(part in told) || told[part] !== own[part]);
    const place = { pinned: answer.pinned, archived: answer.archived, ...(answer.rank !== undefined && { rank: answer.rank }) };
    for (const part of untold) place[part] = own[part];
    const isNew = ['pinned', 'archived'].some(part => place[part] !== (own[part] ?? false)) || place.rank !== own.rank;
    if (isNew || untold.length !== (row.untold?.length ?? 0)) await t.put('lists', { ...row, place, untold });
    return isNew;
}
