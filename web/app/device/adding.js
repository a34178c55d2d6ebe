// Adding lines to a list, with the aisles of new items.

/**
 * Adds pasted lines to a list.
 * @param {import('./device.js').Device} device
 * @param {import('./gestures.js').Gestures} gestures
 * @param {(list: import('./opened.js').OpenedList) => string | undefined} [below]  what new items go below; otherwise the last item
 * @returns the result for each line, a new item's with what decided its aisle
 */
export async function add(device, gestures, id, text, below = () => undefined) {
    const earlier = gestures.adding;
    let shown;
    gestures.adding = new Promise(resolve => { shown = resolve; });
    try {
        const list = await device.open(id), goods = await device.goods().catch(() => null);
        await goods?.soon(id);
        await earlier;
        await gestures.complete();
        const { drafts, added } = list.handle.additions(text, new Date().toISOString(), below(list));
        const chosen = place(goods, id, drafts), performing = device.perform(id, drafts);
        performing.catch(() => { /* It is awaited below. */ });
        // Now they are on the list, because that has opened it before; the disk may take longer.
        await device.open(id);
        shown();
        await performing;
        return added.map(line => ({ ...line, choice: line.outcome === 'added' ? chosen?.get(line.item) : undefined }));
    } finally {
        shown();
    }
}

/** Trouble with aisles keeps nothing off the list. */
function place(goods, id, drafts) {
    try {
        return goods?.place(id, drafts);
    } catch (error) {
        console.warn('no aisle was found', error);
        return undefined;
    }
}
