// Past shopping trips, and the order of rows that they teach. The module infers and sorts; this code reads the store.

import { call } from './transport.js';

export class Trips {
    #device;
    #later;
    /** The last input and output of `arrange`, by list. */
    #arranged = new Map();

    /** @param later  the module with these calls */
    constructor(device, later) {
        this.#device = device;
        this.#later = later;
    }

    /** A list's trips, newest first. They include what waits to be sent or to be shown. */
    async of(list) { return this.#later.trips(await this.#past(list)).trips.reverse(); }

    /** The learned order of now, for `arrange`. @param {string | null} shop  where the person is */
    async learn(list, shop) { return this.#later.learn({ ...await this.#past(list), ...shop && { shop } }).places; }

    async #past(list) {
        return {
            ...await this.#device.store.past(list), person: this.#device.session?.account.id, at: new Date().toISOString(),
        };
    }

    /**
     * The rows of shopping mode, by aisle and in the learned order.
     * @param {string} list
     * @param {object[]} items  in list order
     * @param {{aisles?: string[], shops?: object[]}} state  the list's
     * @param {object} places  the learned order
     * @param {string | null} shop  where the person is
     * @returns {{groups: {aisle: string | null, rows: {id: string, usual: number | null}[]}[], elsewhere: string[]}}
     */
    arrange(list, items, { aisles, shops }, places, shop) {
        const order = { rows: items.map(asRow), aisles, shops, places, ...shop && { shop } }, input = JSON.stringify(order);
        let known = this.#arranged.get(list);
        if (known?.input !== input) {
            known = { input, arranged: this.#later.arrange(order) };
            this.#arranged.set(list, known);
        }
        return known.arranged;
    }

    /**
     * The rows of several lists as one.
     * @param {string[]} lists
     * @param {string | null} shop  where the person is
     * @returns {{aisle: string | null, parts: {list: string, item: string}[]}[]}
     */
    combine(lists, shop) {
        const { rows, states, usesLearnedOrder } = this.#device;
        return this.#later.combine(lists.filter(list => states.has(list)).map(list => {
            const { items, aisles, shops } = states.get(list), { learned } = rows.get(list);
            return { list, rows: items.map(asRow), aisles, shops, ...usesLearnedOrder && learned && { places: learned } };
        }), shop);
    }

    /**
     * Asks the service for the devices that may still send marks of a trip.
     * @returns {Promise<{device: string, account?: string, deviceName?: string, lastSeenAt?: string}[]>}  none: the trip is complete
     */
    async missing(list, trip) {
        const row = this.#device.rows.get(list);
        if (!row?.published || row.local) return [];
        const { waitingFor = [] } = await call('GET', `lists/${list}/replay`);
        const { device } = this.#device.session;
        const { waitingFor: missing } = this.#later.missing({ waitingFor, end: trip.end, device: device.id });
        const isMissing = new Set(missing.map(other => other.device));
        return waitingFor.filter(other => isMissing.has(other.device));
    }

    /**
     * For a slider over a trip.
     * @returns {Promise<{isComplete: boolean, state: (pick: number) => object}>}  `state`: the list after a pick, counted from 0;
     *   `isComplete`: whether the entries of all picks are still on this device
     */
    async scrub(list, trip) {
        const { entries, pending } = await this.#device.store.past(list), { picks } = trip;
        const { steps } = this.#later.steps({ entries, pending }, picks);
        const stepOf = new Map(steps.flatMap((ids, step) => ids.map(id => [id, step])));
        return {
            isComplete: picks.every(pick => stepOf.has(pick.entry)),
            state: step => {
                const isMade = ({ id }) => stepOf.get(id) <= step;
                const handle = this.#device.trolley.openList({
                    entries: entries.filter(isMade), pending: pending.filter(({ entry }) => isMade(entry)),
                });
                try { return handle.state(); } finally { handle.close(); }
            },
        };
    }

    /** Puts a trip's items on the list again, as one gesture. @returns the result for each item */
    async repeat(list, trip) {
        const { state } = await this.#device.open(list);
        const { drafts, added } = this.#later.repetition(await this.#past(list), state.items, trip.picks, new Date().toISOString());
        await this.#device.perform(list, drafts);
        return added;
    }
}

const asRow = ({ id, text, markedOff, fields: { aisle, shop } }) => ({
    id, text, markedOff, ...typeof aisle === 'string' && { aisle }, ...typeof shop === 'string' && { shop },
});
