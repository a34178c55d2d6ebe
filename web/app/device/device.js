// The device in the browser, as the screens use it: what a person does with lists, and the parts that do the rest.

import { Account } from './account.js';
import { Gestures } from './gestures.js';
import { setKnown } from './known.js';
import { Lists } from './lists.js';
import { Runs } from './runs.js';
import { asReceiving } from './storage/lost.js';
import { Store } from './store.js';
import { Summaries } from './summaries.js';
import { Tabs } from './tabs.js';
import { call } from './transport.js';

export class Device extends EventTarget {
    store = new Store();
    trolley = null;
    /**
     * Who is signed in, and this device as the service knows it. `isAlone`: nobody, and the lists are on this device alone.
     * @type {{account: {id: string, name: string, email: string}, device: {id: string}, isAlone?: boolean} | null}
     */
    session = null;
    settings = {};
    /** Who was signed out elsewhere, and how many of their changes wait here; null: nobody. */
    left = null;
    /** Lists on a visible screen. */
    shownLists = new Set();
    /** The parts, for each other. */
    lists = new Lists(this);
    tabs = new Tabs(this);
    runs = new Runs(this);
    summaries = new Summaries(this);
    #account = new Account(this);
    #gestures = new Gestures(this);
    #loadModule;
    #language;
    /** Promises of modules, by name. */
    #modules = new Map();
    #trips = null;
    #whereabouts = null;
    #goods = null;

    /**
     * @param {(name: 'trolley' | 'later' | 'documents') => Promise<import('../../trolley.js').Trolley>} loadModule
     * @param {() => string} language  of the page, such as 'en', by now
     */
    constructor(loadModule, language) {
        super();
        this.#loadModule = loadModule;
        this.#language = language;
        this.loaded().catch(() => { /* `run` says so. */ });
        this.store.database.onSuperseded = () => this.emit('superseded');
    }

    /** Reads the stored state. The page can show it before the module is loaded. */
    async start() {
        const { session, settings, lists, folds, refused, left } = await this.store.opening();
        this.session = session ?? null;
        this.left = left ?? null;
        this.settings = settings;
        if (!session) return;
        if (!this.isAlone) setKnown(true);
        this.runs.refused = refused;
        this.lists.begin(lists, folds);
    }

    /** Waits for the module. From then on lists can be changed. */
    async run() {
        await this.loaded();
        this.tabs.start();
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

    // MARK: What its parts know

    /** The stored record of each list, by id. */
    get rows() { return this.lists.rows; }
    /** The shown state of each list, by id. */
    get states() { return this.lists.states; }
    get unfolded() { return this.lists.unfolded; }
    get progress() { return this.runs.progress; }
    get isInStep() { return this.runs.isInStep; }
    get pace() { return this.runs.pace; }
    get refused() { return this.runs.refused; }
    get isLeading() { return this.tabs.isLeading; }
    /** Whether the lists are on this device alone, because the person has no account yet. */
    get isAlone() { return this.session?.isAlone === true; }
    get language() { return this.#language(); }

    // MARK: The module

    /** @returns {Promise<import('../../trolley.js').Trolley>} */
    loaded() { return this.#load('trolley'); }

    /**
     * The module with the calls that a page needs later or never.
     * @returns {Promise<import('../../trolley.js').Trolley>}
     */
    later() { return this.#load('later'); }

    /**
     * The module that reads files and recipes.
     * @returns {Promise<import('../../trolley.js').Trolley>}
     */
    documents() { return this.#load('documents'); }

    async #load(name) {
        if (!this.#modules.has(name)) {
            const module = this.#loadModule(name).then(module => {
                if (name === 'trolley') this.trolley = module;
                module.onTrap = () => this.emit('trapped', { module: name });
                return module;
            });
            this.#modules.set(name, module);
            // The next call tries to load it again.
            module.catch(() => this.#modules.delete(name));
        }
        const module = await this.#modules.get(name);
        // After a trap it begins again.
        await module.ready;
        return module;
    }

    /** Past trips and the learned order. @returns {Promise<import('./trips.js').Trips>} */
    async trips() {
        const [{ Trips }, later] = await Promise.all([import('./trips.js'), this.later()]);
        this.#trips ??= new Trips(this, later);
        return this.#trips;
    }

    /** What became of items, by name. @returns {Promise<import('./whereabouts.js').Whereabouts>} */
    async whereabouts() {
        const { Whereabouts } = await import('./whereabouts.js');
        return this.#whereabouts ??= new Whereabouts(this);
    }

    /** Completion, and the aisles of new items. @returns {Promise<import('./goods.js').Goods>} */
    async goods() {
        const { Goods } = await import('./goods.js');
        return this.#goods ??= new Goods(this);
    }

    /** The same, if something has asked for it. */
    get openedGoods() { return this.#goods; }

    // MARK: Lists

    /** Opens a list in the module, or returns the open one. */
    open(id) { return this.lists.open(id); }

    /** The list, if it is open: `open` opens it. @returns {import('./opened.js').OpenedList | undefined} */
    opened(id) { return this.lists.opened(id); }

    /** Shows the stored state of a list, and notifies the other tabs. */
    async refresh(id) {
        await this.lists.reload(id);
        this.tabs.tell({ type: 'list', list: id });
    }

    /** Makes the person's changes of a list: shows them at once, then stores them, then syncs. @returns their ids */
    async perform(id, drafts, batch) { return drafts.length ? (await this.performAll([{ id, drafts, batch }]))[0] : []; }

    /**
     * The same on several lists: all are stored, or none.
     * @param {{id: string, drafts: object[], batch?: string}[]} gestures  of each list one
     * @param [refused]  the key of the refused change that is made again, and leaves the refused ones with that
     */
    performAll(gestures, refused) { return this.#gestures.perform(gestures, refused); }

    /** Changes of a list are stored: they go out. */
    noteQueued(id, made) {
        this.tabs.tell({ type: 'list', list: id });
        this.emit('queued', { list: id });
        // Until the run that follows has looked.
        if (this.isInStep && !this.rows.get(id)?.local) this.runs.show({ type: 'queued', queued: made.records.length });
        this.sync('ownChange');
    }

    /** Undoes or redoes the last gesture on this device: see undo.js. */
    async revert(cause, id, options) {
        const { revert } = await import('./undo.js');
        await this.#gestures.complete();
        return revert(this, cause, id, options);
    }

    /** Adds pasted lines to a list: see adding.js. */
    async add(id, text, below) { return (await import('./adding.js')).add(this, this.#gestures, id, text, below); }

    /** Whether a list is the person's own. */
    async isOwn(row) { return (await this.loaded()).isOwn(asReceiving(row, this.session.account.id)); }

    /** What a person may be about to add to a list. */
    async suggestions(id, prefix, limit) { return (await this.goods()).completions(id, prefix, limit); }

    /** Makes a list: see making.js. @returns {Promise<string>}  its id */
    async makeList(name, colour, more) { return (await import('./making.js')).makeList(this, name, colour, more); }

    /** Shopping mode, and the changes that wait for its end: see shopping.js. */
    async setShopping(id, shopping, shop) { return (await import('./shopping.js')).setShopping(this, id, shopping, shop); }
    async applyWaiting(id) { return (await import('./shopping.js')).applyWaiting(this, id); }

    /** The list, or its messages, are before the person: see seen.js. */
    async noteSeen(id) { return (await import('./seen.js')).noteSeen(this, id); }
    async noteHeard(id, list) { return (await import('./seen.js')).noteHeard(this, id, list); }

    /** Leaves a list, or deletes the person's own. */
    async removeList(id) {
        const row = this.rows.get(id), isOwn = row && await this.isOwn(row);
        if (row?.published && !row.local) await call('DELETE', `lists/${id}`);
        await this.store.removeList(id, isOwn, new Date());
        await this.refresh(id);
        await this.runs.countRefused();
    }

    refetch(id) {
        return this.attempt(async () => {
            await this.store.refetch(id);
            this.sync('manual');
        });
    }

    /** Removes a refused change or a notice that the person has read. @param {'rejected' | 'notices'} store */
    dismiss(store, key) {
        return this.attempt(async () => {
            await this.store.dismiss(store, key);
            await this.runs.countRefused();
        });
    }

    /** Syncs, here or in the leading tab. */
    sync(trigger) { return this.runs.begin(trigger); }

    // MARK: The person

    signUp(form) { return this.#account.signUp(form); }
    signIn(form) { return this.#account.signIn(form); }
    get isCleared() { return this.#account.isCleared; }
    resume(options) { return this.#account.resume(options); }
    refreshAccount() { return this.#account.refresh(); }
    noteAccount(account) { return this.#account.note(account); }
    unsent() { return this.#account.unsent(); }
    signOut(options) { return this.#account.signOut(options); }

    saveSettings(values) {
        this.settings = { ...this.settings, ...values };
        return this.attempt(() => this.store.saveSettings(this.settings));
    }

    /** Whether rows are in the learned order while shopping, on this device. */
    get usesLearnedOrder() { return this.settings.learnedOrder !== false; }

    async setUsesLearnedOrder(isUsed) {
        await this.saveSettings({ learnedOrder: isUsed });
        for (const list of this.shownLists) this.emit('order', { list });
    }

    // MARK: Trouble

    noteTrouble(error) {
        if (!this.session) return;
        // Another tab has signed out, or the browser has cleared the storage: the page begins again.
        if (error?.kind === 'signedOut') this.emit('session-elsewhere');
        else this.emit('trouble', { error });
    }

    /** Tells the person if it fails. @returns {Promise<boolean>}  whether it was done */
    async attempt(work) {
        try {
            await work();
            return true;
        } catch (error) {
            this.noteTrouble(error);
            return false;
        }
    }
}
