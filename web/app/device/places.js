// The order of a person's lists: archived ones last, pinned ones first, then as they were moved, without that the newest first. The
// same as `ListPlace` in Sources/TrolleyWire, because the first screen is there before the module.

/** In milliseconds, of which a rank counts the 1024ths. */
const LAST_AGE = 8_796_093_022_207;

/** The rank by which a list stands: its own, or that of its age. */
export const rankOf = ({ id, place }) =>
    place?.rank ?? -1024 * Math.min(parseInt(id.slice(0, 8) + id.slice(9, 13), 16), LAST_AGE);

export const isArchived = ({ place }) => place?.archived === true;
export const isPinned = ({ place }) => place?.pinned === true;

/** @param {Iterable<object>} rows  the records of lists */
export const inOrder = rows => [...rows].sort((a, b) => isArchived(a) - isArchived(b) || isPinned(b) - isPinned(a)
    || rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : 1));
