// A list that the module keeps folded, with its stored state.

/** @typedef {{entry: object, madeAt: string}} Pending */

export class OpenedList {
    id;
    /** The module's list. */
    handle = null;
    row = null;
    /** The shown state. */
    state = null;
    /** Received entries that are not shown yet in shopping mode. */
    waiting = [];
    /** For each item with own unconfirmed entries: whether the service has accepted the newest of them. */
    unconfirmed = new Map();
    /** The person's own entries that are not confirmed, in order. @type {Pending[]} */
    pending = [];
    /** The person's changes that no transaction has written yet. */
    #unsaved = new Set();
    /** Whether it has been too long to be shown in one step: see lists.js. */
    isLong = false;
    #trolley;

    constructor(id, trolley) {
        this.id = id;
        this.#trolley = trolley;
    }

    /** Folds everything afresh. @param journal  from the store */
    load({ row, waiting, stored }) {
        const unsaved = [...this.#unsaved];
        const here = new Set(stored.pending.map(({ entry }) => entry.id));
        for (const { madeAt, records } of unsaved) {
            for (const record of records) {
                if (here.has(record.entry.id)) continue;
                stored.pending.push({ entry: record.entry, madeAt });
                if (record.replaced) stored.records.push(record);
            }
        }
        this.handle?.close();
        this.handle = this.#trolley.openList(stored);
        this.#note(stored.pending);
        this.row = row;
        this.waiting = waiting;
        this.state = this.handle.state();
    }

    /** Folds new changes. @returns whether that was possible: sequences must ascend */
    advance({ row, waiting, pending }, changes) {
        const first = changes.find(change => change.type === 'entry')?.sequence;
        if (first !== undefined && first <= (this.state.through ?? 0)) return false;
        if (changes.length) this.handle.apply({ changes });
        const here = new Set(pending.map(({ entry }) => entry.id));
        for (const { madeAt, records } of this.#unsaved) {
            for (const { entry } of records) if (!here.has(entry.id)) pending.push({ entry, madeAt });
        }
        // What has come back waits no longer: mostly nothing else has changed. Of many entries, which take a while, times that an
        // upload has moved a little wait for the next change.
        const back = new Set(changes.map(({ entry }) => entry?.id));
        const held = this.pending.filter(({ entry }) => !back.has(entry.id)), isMany = held.length > 500;
        const isHeld = ({ entry, madeAt }, index) => entry.id === held[index]?.entry.id && (isMany || madeAt === held[index].madeAt);
        if (held.length !== pending.length || !pending.every(isHeld)) this.handle.setPending(pending);
        this.#note(pending);
        this.row = row;
        this.waiting = waiting;
        this.state = this.handle.state();
        return true;
    }

    #note(pending) {
        this.pending = pending;
        this.unconfirmed = new Map();
        for (const { entry, isQueued } of pending) {
            if (entry.item) this.unconfirmed.set(entry.item, isQueued === false ? 'taken' : 'queued');
        }
    }

    /**
     * Makes the person's changes at once, on the screen only.
     * @returns the records to save
     */
    append(drafts, batch) {
        const made = this.handle.append(drafts, new Date().toISOString(), this.row.last + 1, batch);
        this.row.last += made.records.length;
        this.#unsaved.add(made);
        for (const { entry } of made.records) if (entry.item) this.unconfirmed.set(entry.item, 'queued');
        this.pending = [...this.pending, ...made.records.map(({ entry }) => ({ entry, madeAt: made.madeAt }))];
        this.state = this.handle.state();
        return made;
    }

    saved(made) { this.#unsaved.delete(made); }

    /** Takes back changes that could not be saved. */
    failed(made) {
        this.#unsaved.delete(made);
        this.forget(made.records.map(record => record.entry.id));
    }

    forget(entries) {
        const gone = new Set(entries);
        this.pending = this.pending.filter(({ entry }) => !gone.has(entry.id));
        this.handle.forget(entries);
        this.state = this.handle.state();
    }

    close() { this.handle?.close(); }
}
