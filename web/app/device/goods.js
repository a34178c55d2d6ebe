// What a person may be about to add, and in which aisle a new item goes. The module decides; this code reads the store and the
// catalogue, which both may take a while. Nothing here makes a person wait for them.

/** The languages that have a catalogue. */
export const CATALOGUES = { de: 'Deutsch', en: 'English', es: 'Español', fr: 'Français', it: 'Italiano', nl: 'Nederlands' };
/** Milliseconds for which adding waits for what is on its way. */
const PATIENCE = 300;
const address = file => new URL(`../catalogue/${file}`, import.meta.url);

export class Goods {
    #device;
    /** The module, once it is loaded. */
    #later = null;
    /** Lists' pasts in the module: with the sequence that each reaches to, and whether it knows aisles. */
    #pasts = new Map();
    /** Promises of catalogues' handles by language, and the handles of those that are open. */
    #reading = new Map();
    #catalogues = new Map();
    /** The names of the aisles in each language. */
    #names = null;
    /** The readings of a list's past that are under way. */
    #opening = new Map();

    constructor(device) {
        this.#device = device;
        device.addEventListener('trapped', event => event.detail.module === 'later' && this.#restart());
    }

    /** The language in which the person writes items; null: no catalogue. */
    get language() {
        const { catalogue } = this.#device.settings;
        if (catalogue === 'none') return null;
        return [catalogue, this.#device.language].find(one => one in CATALOGUES) ?? null;
    }

    // MARK: What the lists tell

    /** A list has new confirmed changes. */
    follow(list, changes) {
        const known = this.#pasts.get(list);
        if (!changes.length) return;
        // What is being read may be older.
        if (!known) return void this.#opening.delete(list);
        // What compression took is kept as purchases.
        if (changes.some(({ type }) => type === 'discard')) return this.forget(list);
        known.past.follow(changes);
    }

    /** What is stored of a list has changed in another way, or it has gone. */
    forget(list) {
        this.#pasts.get(list)?.past.close();
        this.#pasts.delete(list);
        this.#opening.delete(list);
    }

    clear() { for (const list of [...this.#pasts.keys()]) this.forget(list); }

    /** The module has trapped, and begins again with nothing open. */
    #restart() {
        this.clear();
        this.#reading.clear();
        this.#catalogues.clear();
    }

    // MARK: Getting ready

    /** All lists' purchases, a list's aisles, and the person's catalogue. */
    async #ready(list) {
        this.#later = await this.#device.later();
        const pasts = [...this.#device.rows.keys()].map(id => this.#open(id, id === list));
        // Without a network there may be none, and everything else works.
        await Promise.all([...pasts, this.#read(this.language).catch(() => {})]);
    }

    /** Also the catalogue that names the list's aisles. */
    async #readyToPlace(list) {
        await this.#ready(list);
        // A change that came meanwhile may have let go of the list's past.
        if (this.language && this.#names && this.#pasts.has(list)) await this.#read(this.#choose(list, []).language).catch(() => {});
    }

    async #open(list, isFolded) {
        const known = this.#pasts.get(list);
        if (known && (known.isFolded || !isFolded)) return;
        const opening = this.#opening.get(list);
        if (opening && (opening.isFolded || !isFolded)) return opening.done;
        const done = this.#device.store.past(list).then(({ entries, bought }) => {
            // It may have changed or gone meanwhile.
            if (this.#opening.get(list)?.done !== done) return this.#device.rows.has(list) ? this.#open(list, isFolded) : undefined;
            this.forget(list);
            this.#pasts.set(list, { past: this.#later.openPast({ entries, bought, isFolded }), isFolded });
        });
        this.#opening.set(list, { done, isFolded });
        done.catch(() => this.#opening.delete(list));
        return done;
    }

    async #read(language) {
        if (!language) return;
        if (!this.#reading.has(language)) {
            const reading = this.#load(language);
            this.#reading.set(language, reading);
            // The next time tries again.
            reading.catch(() => this.#reading.delete(language));
        }
        await this.#reading.get(language);
    }

    async #load(language) {
        const [names, table] = await Promise.all([this.#names ?? fetched('names.json', true), fetched(`${language}.txt`)]);
        this.#names = names;
        this.#catalogues.set(language, this.#later.openCatalogue(table));
    }

    // MARK: Aisles

    #choose(list, texts) {
        const { pending } = this.#device.opened(list);
        const catalogues = this.language ? [...this.#catalogues].map(([language, handle]) => ({ language, handle })) : [];
        return this.#pasts.get(list).past.aisles(texts, { pending, language: this.language ?? '', names: this.#names ?? [], catalogues });
    }

    /** What is on its way has come, or has taken too long. */
    async soon(list) {
        let timer;
        const patience = new Promise(resolve => { timer = setTimeout(resolve, PATIENCE); });
        await Promise.race([this.#readyToPlace(list).catch(() => {}), patience]);
        clearTimeout(timer);
    }

    /** Everything has come that can. @returns {Promise<boolean>}  whether a catalogue has */
    async complete(list) {
        await this.#readyToPlace(list);
        return this.#catalogues.has(this.language);
    }

    /**
     * Puts new items into their aisles.
     * @param {object[]} drafts  of lines that give no aisle: an `add` has the one that its name had last, as far as the list alone
     *   can say
     * @returns {Map<string, {aisle: string, reason: string, because?: string}>}  what decided, by item
     */
    place(list, drafts) {
        const chosen = new Map(), added = drafts.filter(({ operation }) => operation === 'add');
        // It isn't here yet, or can't be.
        if (!added.length || !this.#pasts.get(list)?.isFolded || !this.#device.opened(list)) return chosen;
        const { choices } = this.#choose(list, added.map(({ fields }) => fields.text));
        for (const [index, choice] of choices.entries()) {
            const draft = added[index], { aisle, ...fields } = draft.fields;
            draft.fields = choice ? { ...fields, aisle: choice.aisle } : fields;
            if (choice) chosen.set(draft.item, choice);
        }
        return chosen;
    }

    /** A list's aisles, and the changes that rename, merge and order them. */
    async arrangeAisles(list, wish) {
        const { pending } = await this.#device.open(list);
        this.#later = await this.#device.later();
        await this.#open(list, true);
        return this.#pasts.get(list).past.arrangeAisles(this.#device.opened(list)?.pending ?? pending, wish);
    }

    // MARK: Completion

    /** What a person may be about to add: what was bought on any list, the due things first, then words of the catalogue. */
    async completions(list, text, limit) {
        const { state } = await this.#device.open(list);
        await this.#ready(list);
        const wanted = state.items.filter(item => !item.markedOff).map(item => item.text);
        return this.#later.complete({ text, wanted, at: new Date().toISOString(), limit }, this.#catalogues.get(this.language));
    }

    /** The catalogue's aisles; null: there is no catalogue. @returns {Promise<{id: string, name: string}[] | null>} */
    async shelves(list) {
        if (!await this.complete(list)) return null;
        return this.#later.shelves(this.#catalogues.get(this.language));
    }

    words(aisle) { return this.#later.words(this.#catalogues.get(this.language), aisle); }
}

/** A file of the catalogue. It is stored for the time without a network, because the service worker doesn't load all languages. */
async function fetched(file, isJSON = false) {
    const response = await fetch(address(file), { credentials: 'same-origin' });
    if (!response.ok) throw new TypeError(`no ${file}`);
    if (navigator.serviceWorker && globalThis.caches) {
        const copy = response.clone(), [, , version] = address(file).pathname.split('/');
        caches.open(`trolley-${version}`).then(cache => cache.put(address(file), copy)).catch(() => { /* There is no room. */ });
    }
    return isJSON ? response.json() : response.text();
}
