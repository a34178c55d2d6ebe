// What others did on each list in their last sessions: the service's summaries, which the leading tab asks for.

import { inOrder } from './in-order.js';
import { call } from './transport.js';

export class Summaries {
    #device;
    #lists = new Map();
    #asking = inOrder();

    constructor(device) { this.#device = device; }

    /** The newest summary of a list. @returns {{list: string, through: number, people: object[]} | undefined} */
    of(list) { return this.#lists.get(list); }

    async load() {
        const isNews = this.#asking();
        const { summaries } = await call('GET', 'summaries');
        if (!isNews() || !this.#device.session) return;
        this.show(summaries);
        this.#device.tabs.tell({ type: 'summaries', summaries });
    }

    /** @param {object[]} summaries  newest first */
    show(summaries) {
        this.#lists = new Map([...summaries].reverse().map(summary => [summary.list, summary]));
        this.#device.emit('lists');
    }

    clear() { this.#lists.clear(); }
}
