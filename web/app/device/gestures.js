// What a person does at once: it is shown, then stored, then sent.

import { checkSizes } from './limits.js';
import { pause } from './lists.js';
import { isGone } from './store.js';

/** More changes than these are made in parts. */
const SLICE = 250;

export class Gestures {
    /** Fulfilled when the lines that were added before are on the list: later ones go below them. */
    adding = null;
    #device;
    /** Fulfilled when the gesture that is being made in parts is complete. The next one waits, so that it is stored after it. */
    #slicing = null;

    constructor(device) { this.#device = device; }

    /** Waits for a gesture that is being made in parts: until then the list has only its first ones. */
    async complete() { while (this.#slicing) await this.#slicing; }

    /**
     * @param {{id: string, drafts: object[], batch?: string}[]} gestures  of each list one: all are stored, or none
     * @param [refused]  the key of the refused change that is made again
     * @returns {Promise<string[][]>}  for each, the ids of its entries
     */
    async perform(gestures, refused) {
        const device = this.#device;
        for (const { drafts } of gestures) checkSizes(drafts);
        while (this.#slicing) await this.#slicing;
        const isSliced = gestures.flatMap(({ drafts }) => drafts).length > SLICE, parts = [];
        let storing, complete;
        if (isSliced) this.#slicing = new Promise(resolve => { complete = resolve; });
        try {
            try {
                for (const gesture of gestures) await this.#make(gesture, parts, isSliced);
                storing = device.store.append(parts, new Date().toISOString(), refused);
            } finally {
                if (isSliced) {
                    this.#slicing = null;
                    complete();
                }
            }
            const last = await storing;
            for (const { id, list, made } of parts) {
                list.row.last = Math.max(list.row.last, last.get(id));
                list.saved(made);
            }
        } catch (error) {
            for (const { id, list, made } of parts) {
                if (device.opened(id) !== list) continue;
                list.failed(made);
                device.lists.show(list);
            }
            device.noteTrouble(error);
            throw error;
        }
        return gestures.map(({ id }) => {
            const records = parts.filter(part => part.id === id).flatMap(({ made }) => made.records);
            device.noteQueued(id, { records });
            return records.map(({ entry }) => entry.id);
        });
    }

    /** Makes a gesture on the screen. Many changes take several parts, after which the page may draw: see `#slicing`. */
    async #make({ id, drafts, batch }, parts, isSliced) {
        const list = await this.#device.open(id), { shopping, shop } = list.row;
        // Each shop has an order of its own to learn.
        if (shopping && shop) drafts = drafts.map(draft => draft.operation === 'markOff' && !draft.cause ? { ...draft, fields: { shop } } : draft);
        while (drafts.length) {
            const made = list.append(drafts.slice(0, SLICE), batch);
            batch ??= made.records[0]?.entry.batch;
            parts.push({ id, list, made });
            if (isSliced) await pause();
            // It has left meanwhile: in the module another list may have its place.
            if (this.#device.opened(id) !== list) throw isGone();
            drafts = drafts.slice(SLICE);
        }
        this.#device.lists.show(list);
    }
}
