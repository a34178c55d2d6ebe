// Who added the items that are new to the person since they have seen the list last.

/** Entries among which the new ones are, when a list is opened and while it is open. */
const LOOK_BACK = 500, LATEST = 50;

export class News {
    /** Accounts by item. */
    by = new Map();
    #screen;
    /** The first new sequence. */
    #from = Infinity;
    #known = new Set();

    constructor(screen) { this.#screen = screen; }

    /** The list is opened. @param {number} unread  the number of new changes by others */
    async begin(unread) {
        const { account, row, state } = this.#screen;
        this.#known = new Set(state?.items.map(({ id }) => id));
        this.#from = (row?.through ?? 0) + 1;
        if (!unread) return;
        const entries = await this.#entries(LOOK_BACK);
        this.#from = entries.filter(({ author }) => author !== account).at(-unread)?.sequence ?? this.#from;
        this.#take(entries);
    }

    /** The list has changed. */
    async note({ items }, unconfirmed) {
        const news = items.filter(({ id }) => !this.#known.has(id));
        for (const { id } of news) this.#known.add(id);
        if (news.some(({ id }) => !unconfirmed?.has(id))) this.#take(await this.#entries(LATEST));
    }

    #entries(count) { return this.#screen.device.store.latest(this.#screen.id, count).catch(() => []); }

    #take(entries) {
        const { account } = this.#screen, before = this.by.size;
        for (const { operation, item, author, sequence } of entries) {
            if (operation === 'add' && author !== account && sequence >= this.#from) this.by.set(item, author);
        }
        if (this.by.size > before) this.#screen.show();
    }
}
