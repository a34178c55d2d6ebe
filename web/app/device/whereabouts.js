// 'Where has my milk gone?': the rules of `ItemTrace` in Sources/TrolleyJournal/History. They are repeated here because the module
// has no room for them, and affect only what is told. A test compares them with `trolley where`.

import { beginsWord, keyOf } from './keys.js';

/**
 * @typedef {{entry: string | null, at: string, by: string | null}} KnownChange  `by`: null if nobody knows
 * @typedef {{list: string, id: string, text: string, formerTexts: string[], status: 'wanted' | 'markedOff' | 'deleted',
 *   since: KnownChange, added: KnownChange | null, source: 'list' | 'unconfirmed' | 'toApply' | 'purchase'}} Trace  what became of
 *   an item. `since`: the change that gave it its status; `source`: how this device knows that change
 */

export class Whereabouts {
    #device;
    /** The traces of each list, while it stays as it is. */
    #known = new Map();

    constructor(device) {
        this.#device = device;
        for (const type of ['list', 'queued', 'gone']) device.addEventListener(type, event => this.#known.delete(event.detail.list));
    }

    /**
     * What became of the items of a name, from what this device knows of all its lists.
     * @param {string} name  the beginning of a word of the text, also of a former text; otherwise a part of it, or all but a typing error
     * @returns {Promise<Trace[]>}  those that changed last first
     */
    async of(name) {
        const lists = await Promise.all([...this.#device.rows.keys()].map(list => this.#traces(list)));
        return lists.flatMap(traces => named(traces, name)).sort(byTime);
    }

    #traces(list) {
        if (!this.#known.has(list)) {
            const traces = this.#read(list);
            this.#known.set(list, traces);
            traces.catch(() => this.#known.delete(list));
        }
        return this.#known.get(list);
    }

    async #read(list) {
        const { store, session } = this.#device;
        const [past, { waiting }] = await Promise.all([store.past(list), store.brief(list)]);
        const traces = tracesOf(past, waiting.map(entry => entry.id), session?.account.id ?? null);
        return traces.map(trace => ({ list, ...trace, keys: [trace.text, ...trace.formerTexts].map(keyOf) }));
    }
}

/**
 * @param {{entries: object[], pending: object[], bought: object[]}} past  of a list
 * @param {string[]} waiting  the entries of its to-apply queue
 * @param {string | null} person  who made the pending ones
 */
function tracesOf({ entries, pending, bought }, waiting, person) {
    const changes = new Map(), known = new Set(), toApply = new Set(waiting);
    const note = (entry, at, by, source) => {
        if (!ABOUT_ITEMS.has(entry.operation) || !entry.item || known.has(entry.id)) return;
        known.add(entry.id);
        const change = { entry, change: { entry: entry.id, at, by }, source };
        if (changes.has(entry.item)) changes.get(entry.item).push(change);
        else changes.set(entry.item, [change]);
    };
    for (const entry of entries) note(entry, entry.madeAt, entry.author, toApply.has(entry.id) ? 'toApply' : 'list');
    for (const { entry, madeAt } of pending) note(entry, madeAt, person, 'unconfirmed');
    const traces = [...changes].map(([id, changes]) => traceOf(id, changes));
    for (const { item, text, entry, at, by, added, addedBy } of bought) {
        if (!item || changes.has(item)) continue;
        traces.push({
            id: item, text, formerTexts: [], status: 'markedOff', since: { entry, at, by: by ?? null },
            added: added ? { entry: null, at: added, by: addedBy ?? null } : null, source: 'purchase',
        });
    }
    return traces;
}

const ABOUT_ITEMS = new Set(['add', 'edit', 'markOff', 'unmark', 'move', 'delete']);

/** @param {object[]} changes  of one item, in the order of the journal: a later one wins, and of two at one time the second */
function traceOf(id, changes) {
    const texts = [];
    let isDeleted = false, isMarkedOff = false, status = null, since, source, added = null;
    // The sort is stable.
    for (const { entry: { operation, fields }, change, source: from } of changes.sort((a, b) => inOrder(a.change, b.change))) {
        if (operation === 'delete') isDeleted = true;
        else if (operation !== 'markOff' && operation !== 'move') isDeleted = false;
        if (operation === 'markOff') isMarkedOff = true;
        else if (operation === 'add' || operation === 'unmark') isMarkedOff = false;
        const now = isDeleted ? 'deleted' : isMarkedOff ? 'markedOff' : 'wanted';
        if (now !== status) [status, since, source] = [now, change, from];
        if (operation === 'add') added ??= change;
        const text = operation === 'add' || operation === 'edit' ? fields?.text : null;
        if (typeof text === 'string' && text) texts.push(text);
    }
    const text = texts.at(-1) ?? '';
    return { id, text, formerTexts: [...new Set(texts)].filter(former => former !== text), status, since, added, source };
}

/** The first of these rules that finds any counts. An item with exactly this text hides no other, because the person may miss that one. */
function named(traces, name) {
    const wanted = keyOf(name);
    if (!wanted) return [];
    const rules = [key => beginsWord(key, wanted)];
    if (!/^[-+]?\d+$/.test(wanted)) {
        rules.push(key => key.includes(wanted), key => [...wanted].length > 3 && isWithinOneEdit([...key], [...wanted]));
    }
    for (const fits of rules) {
        const found = traces.filter(trace => trace.keys.some(fits));
        if (found.length) return found;
    }
    return [];
}

/** Whether one character was left out, added or replaced. */
function isWithinOneEdit(left, right) {
    let same = 0;
    while (same < left.length && left[same] === right[same]) same += 1;
    const rest = (characters, skipped) => characters.slice(same + skipped).join('');
    return [[1, 0], [0, 1], [1, 1]].some(([a, b]) => rest(left, a) === rest(right, b));
}

const inOrder = (a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
const byTime = (a, b) => inOrder(b.since, a.since) || (a.id < b.id ? -1 : 1);
