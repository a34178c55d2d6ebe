// The device in the browser, as the screens use it. It keeps lists open and writes the person's changes. The leading tab syncs
// them with the service.

import { Hints } from './hints.js';
import { suggestionsFor } from './history.js';
import { inOrder } from './in-order.js';
import { isKnown, setKnown } from './known.js';
import { Leader } from './leader.js';
import { checkSizes } from './limits.js';
import { note, noteWait } from './log.js';
import { deviceName } from './name.js';
import { OpenedList } from './opened.js';
import { Store, isGone } from './store.js';
import { CallError, call, sessions } from './transport.js';

const SAVE_FOLD_AFTER = 400;
/** A pause of this length ends a trip. */
const TRIP_PAUSE = 45 * 60_000;
/** When an id was made (RFC 9562 §5.7). */
const madeAt = id => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

export class Device extends EventTarget {
    store = new Store();
    trolley = null;
    session = null;
    settings = {};
    /** The stored record of each list, by id. */
    rows = new Map();
    /** The shown state of each list, by id; at first the stored state. */
    states = new Map();
    /** What others did in their last sessions, by list: a summary of the service. */
    summaries = new Map();
    #askingSummaries = inOrder();
    /** Unknown until the first run of the leading tab has reported. */
    progress = { type: 'unknown' };
    /** Whether the last finished run left nothing to do. */
    isInStep = false;
    /** The number of refused changes that the person has not dismissed. */
    refused = 0;
    pace = {};
    /** Who was signed out elsewhere, and how many of their changes wait here; null: nobody. */
    left = null;
    /**
     * Stored changes that are not folded yet, by list; null: fold everything afresh. The device's own entries among them are no
     * longer pending in the store, so nothing may be shown before they are folded.
     */
    unfolded = new Map();
    /** Lists on a visible screen. */
    shownLists = new Set();
    #opened = new Map();
    #openLists = new Map();
    /** Loaded for the first sync: a page on which nobody is signed in doesn't need it. */
    #engine = null;
    #leader;
    #hints;
    #folds = new Map();
    /** The purchases, by list. */
    #purchases = new Map();
    #timer = null;
    #ready;
    #loadModule;
    #later = null;
    #trips = null;
    #whereabouts = null;

    constructor(loadModule) {
        super();
        this.#leader = new Leader({
            onLead: () => this.#lead(), onStepDown: () => this.#stepDown(), onMessage: message => this.#hear(message),
        });
        this.#hints = new Hints({
            sync: trigger => this.sync(trigger),
            onPresence: list => {
                this.#emit('presence', { list });
                this.#leader.tell({ type: 'presence', list });
            },
            onSummary: () => this.#loadSummaries().catch(() => { /* The next event brings them. */ }),
            onSocket: event => {
                this.#emit('socket', event);
                this.#leader.tell({ type: 'socket', event });
            },
        });
        this.#loadModule = loadModule;
        this.#ready = loadModule('trolley').then(trolley => { this.trolley = trolley; });
        this.#ready.catch(() => {});
        this.store.database.onSuperseded = () => this.#emit('superseded');
        sessions.addEventListener('signedOut', () => this.#leave().catch(error => this.noteTrouble(error)));
        addEventListener('pagehide', () => this.#saveFolds());
        document.addEventListener('visibilitychange', () => {
            if (document.hidden) this.#saveFolds();
            // The leading tab may be hidden.
            else if (!this.isLeading) this.sync('push');
        });
    }

    get isLeading() { return this.#leader.isLeading; }

    /** Reads the stored state. The page can show it before the module is loaded. */
    async start() {
        const { session, settings, lists, folds, refused, left } = await this.store.opening();
        this.session = session ?? null;
        this.left = left ?? null;
        this.settings = settings;
        if (!session) return;
        setKnown(true);
        this.refused = refused;
        for (const row of lists) this.rows.set(row.id, row);
        this.states = folds;
        this.#emit('lists');
    }

    /** Waits for the module. From then on lists can be changed. */
    async run() {
        await this.#ready;
        this.#leader.start();
        this.#leader.tell({ type: 'progress?' });
    }

    /** The module with the calls that a page needs later or never. @returns {Promise<import('../trolley.js').Trolley>} */
    later() {
        this.#later ??= this.#loadModule('later');
        // The next call tries to load it again.
        this.#later.catch(() => { this.#later = null; });
        return this.#later;
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

    /** Whether rows are in the learned order while shopping, on this device. */
    get usesLearnedOrder() { return this.settings.learnedOrder !== false; }

    async setUsesLearnedOrder(isUsed) {
        await this.saveSettings({ learnedOrder: isUsed });
        for (const list of this.shownLists) this.#emit('order', { list });
    }

    // MARK: Lists

    /** Opens a list in the module, or returns the open one. */
    async open(id) {
        await this.#ready;
        let opening = this.#opened.get(id);
        if (!opening) {
            const list = new OpenedList(id, this.trolley);
            opening = this.store.journal(id).then(journal => {
                if (!journal.row) throw isGone();
                list.load(journal);
                this.#openLists.set(id, list);
                this.#show(list);
                return list;
            });
            this.#opened.set(id, opening);
            opening.catch(() => this.#opened.delete(id));
        }
        return opening;
    }

    /** The list, if it is open: `open` opens it. @returns {OpenedList | undefined} */
    opened(id) { return this.#openLists.get(id); }

    /** Makes the person's changes of a list: shows them at once, then stores them, then syncs. @returns their ids */
    async perform(id, drafts, batch) {
        if (!drafts.length) return [];
        checkSizes(drafts);
        let list, made;
        try {
            list = await this.open(id);
            made = list.append(drafts, batch);
            this.#show(list);
            list.row.last = Math.max(list.row.last, await this.store.append(id, made, new Date().toISOString()));
            list.saved(made);
        } catch (error) {
            if (made) {
                list.failed(made);
                this.#show(list);
            }
            this.noteTrouble(error);
            throw error;
        }
        this.#leader.tell({ type: 'list', list: id });
        this.#emit('queued', { list: id });
        // Until the run that follows has looked.
        if (this.isInStep && !list.row.local) this.#showProgress({ type: 'queued', queued: drafts.length });
        this.sync('ownChange');
        return made.records.map(({ entry }) => entry.id);
    }

    /**
     * Undoes or redoes the last gesture on this device.
     * @returns {Promise<'done' | 'nothing' | 'passed' | 'tripIsOver'>}  'passed': others have changed all of it since; 'tripIsOver':
     *   it marked something off on a trip that is over, and is undone only `anyway`
     */
    async revert(cause, id, { anyway = false } = {}) {
        const list = await this.open(id);
        const { step } = list.handle.plan(cause);
        if (!step) return 'nothing';
        if (cause === 'undo' && !anyway && await this.#isOfPastTrip(id, step.gesture)) return 'tripIsOver';
        if (step.drafts.length) {
            await this.perform(id, step.drafts);
            return 'done';
        }
        const entries = step.gesture.map(entry => entry.id);
        list.handle.pass(entries);
        await this.store.pass(id, entries);
        return 'passed';
    }

    async #isOfPastTrip(id, gesture) {
        // A trip that is over has no mark of the last minutes, so most gestures need no look at the trips.
        const marks = gesture.filter(entry => entry.operation === 'markOff' && Date.now() - madeAt(entry.id) >= TRIP_PAUSE);
        if (!marks.length) return false;
        const trips = await (await this.trips()).of(id);
        // A redone mark brings the purchase back that the first one made.
        const isOf = (mark, pick) => mark.id === pick.entry || (mark.cause === 'redo' && mark.item === pick.item);
        return trips.some(trip => trip.isOver && trip.picks.some(pick => marks.some(mark => isOf(mark, pick))));
    }

    /**
     * Adds pasted lines to a list.
     * @param {(list: OpenedList) => UUID | undefined} [below]  what new items go below; otherwise the last item
     * @returns the result for each line
     */
    async add(id, text, below = () => undefined) {
        const list = await this.open(id);
        const { drafts, added } = list.handle.additions(text, new Date().toISOString(), below(list));
        await this.perform(id, drafts);
        return added;
    }

    async suggestions(id, prefix, limit) {
        const list = await this.open(id);
        return suggestionsFor(list.state, await this.purchases(), Date.now(), prefix, limit);
    }

    /** The purchases on all lists that the device knows. */
    async purchases() {
        await this.#ready;
        for (const id of this.rows.keys()) {
            if (!this.#purchases.has(id)) this.#purchases.set(id, await this.store.purchases(id));
        }
        return [...this.#purchases.values()].flat();
    }

    async makeList(name, colour) {
        await this.#ready;
        const drafts = [{ operation: 'renameList', fields: { text: name } }];
        checkSizes(drafts);
        const [id] = this.trolley.identifiers(new Date().toISOString());
        await this.store.addList(id);
        await this.#reloadRows();
        if (colour) drafts.push({ operation: 'recolourList', fields: { text: colour } });
        await this.perform(id, drafts);
        return id;
    }

    /**
     * Switches shopping mode. In it, other people's additions wait at the top, and the rows are in the order that past trips
     * have taught by now, so that none moves meanwhile.
     */
    setShopping(id, shopping) { return this.attempt(() => this.#setShopping(id, shopping)); }

    async #setShopping(id, shopping) {
        // Without a network, a browser that never had the module shows the list's own order.
        const learned = shopping ? await this.trips().then(trips => trips.learn(id)).catch(() => null) : null;
        await this.store.change(id, { shopping, learned });
        await this.refresh(id);
        if (!shopping) await this.applyWaiting(id);
    }

    /** Applies the waiting changes. */
    applyWaiting(id) {
        return this.attempt(async () => {
            const list = await this.open(id);
            await this.store.apply(id, (waiting, received) => list.handle.arrivals(waiting, received, false));
            this.unfolded.set(id, null);
            await this.refresh(id);
        });
    }

    async noteSeen(id) {
        const row = this.rows.get(id);
        if (!row) return;
        const through = row.through;
        if (row.unread) {
            await this.store.change(id, { unread: 0 });
            await this.refresh(id);
        }
        if (row.published && !row.local && through > (row.read ?? 0) && navigator.onLine) {
            await call('PUT', `lists/${id}/read`, { through });
            await this.store.change(id, { read: through });
            row.read = through;
        }
    }

    /** The person has the messages before them. */
    async noteHeard(id, list) {
        const heard = list.handle.messages({ limit: 1 }).messages.at(-1)?.sequence ?? 0;
        if (heard <= (this.rows.get(id)?.heard ?? 0)) return;
        await this.store.change(id, { heard });
        await this.refresh(id);
    }

    async removeList(id) {
        const row = this.rows.get(id);
        if (row?.published && !row.local) await call('DELETE', `lists/${id}`);
        await this.store.removeList(id, new Date());
        await this.refresh(id);
        await this.#countRefused();
    }

    refetch(id) {
        return this.attempt(async () => {
            await this.store.refetch(id);
            this.sync('byHand');
        });
    }

    /** Removes a refused change or a notice that the person has read. @param {'rejected' | 'notices'} store */
    dismiss(store, key) {
        return this.attempt(async () => {
            await this.store.dismiss(store, key);
            await this.#countRefused();
        });
    }

    async #loadSummaries() {
        const isNews = this.#askingSummaries();
        const { summaries } = await call('GET', 'summaries');
        if (!isNews() || !this.session) return;
        this.#noteSummaries(summaries);
        this.#leader.tell({ type: 'summaries', summaries });
    }

    /** @param {{list: string, through: number, people: object[]}[]} summaries  newest first */
    #noteSummaries(summaries) {
        this.summaries = new Map([...summaries].reverse().map(summary => [summary.list, summary]));
        this.#emit('lists');
    }

    // MARK: Sync

    /** Syncs, here or in the leading tab. */
    async sync(trigger) {
        if (!this.session || !this.trolley) return null;
        if (!this.isLeading) {
            this.#leader.tell({ type: 'sync', trigger });
            this.#leader.check();
            return null;
        }
        try {
            this.#engine ??= import('./engine.js').then(({ Engine }) => new Engine(this));
            return await (await this.#engine).run(trigger);
        } catch (error) {
            // The next sync tries to load it again.
            this.#engine = null;
            this.noteTrouble(error);
            return null;
        }
    }

    /** Schedules the next try. Each run reports its time, also a run that followed another. */
    noteReport(report) {
        clearTimeout(this.#timer);
        if (report.rejected) this.#countRefused().catch(error => this.noteTrouble(error));
        if (!report.nextTry) return;
        noteWait(report, this.pace);
        const wait = Math.max(50, Date.parse(report.nextTry) - Date.now());
        this.#timer = setTimeout(() => this.sync('timer'), Math.min(wait, 2 ** 31 - 1));
    }

    noteProgress(progress, pace) {
        if (!this.session) return;
        this.#showProgress(progress, pace);
        this.#leader.tell({ type: 'progress', progress, pace });
    }

    #showProgress(progress, pace) {
        this.progress = progress;
        if (pace) this.pace = pace;
        // While a later run fetches, the device counts as in step if it was before.
        if (progress.type !== 'fetching') this.isInStep = progress.type === 'idle';
        this.#emit('progress');
    }

    async #countRefused() {
        this.refused = await this.store.refused();
        this.#emit('progress');
        this.#leader.tell({ type: 'refused', count: this.refused });
    }

    noteTrouble(error) {
        if (!this.session) return;
        // Another tab has signed out, or the browser has cleared the storage: the page begins again.
        if (error?.kind === 'signedOut') this.#emit('session-elsewhere');
        else this.#emit('trouble', { error });
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

    /** Entries have arrived: others may have marked off the same items at nearly the same time. */
    async noteArrived(list, changes) {
        if (!this.#isShared(list) || !changes.some(({ entry }) => entry?.operation === 'markOff')) return;
        try {
            const { doubleBuys } = await import('./marks.js');
            for (const [by, items] of await doubleBuys(this, list, changes)) {
                this.#emit('double-buy', { list, by, items });
                this.#leader.tell({ type: 'double-buy', list, by, items });
            }
        } catch { /* Nobody is warned, that is all. */ }
    }

    #isShared(list) { return (this.rows.get(list)?.share?.participants.length ?? 0) > 1; }

    async noteSettled(id, refused) {
        if (refused.length) {
            (await this.#opened.get(id))?.forget(refused);
            this.#emit('refused', { list: id, count: refused.length });
        }
        await this.refresh(id);
    }

    /** A list has another id from now on. */
    async noteMoved(from, to) {
        this.#emit('moved', { from, to });
        this.#leader.tell({ type: 'moved', from, to });
        await this.refresh(to);
        await this.refresh(from);
    }

    /** Shows the stored state of a list, and notifies the other tabs. */
    async refresh(id) {
        await this.#reload(id);
        this.#leader.tell({ type: 'list', list: id });
    }

    async #reload(id, { afresh = false } = {}) {
        const list = await this.#opened.get(id)?.catch(() => null);
        if (!list) {
            await this.#reloadRows();
            // Its name and its counts are shown among the lists.
            if (this.rows.has(id)) await this.open(id).catch(error => this.noteTrouble(error));
            return;
        }
        if (!afresh && this.unfolded.get(id) !== null) {
            const brief = await this.store.brief(id);
            if (!brief.row) return this.#drop(id);
            const changes = this.#takeUnfolded(id);
            if (changes !== null && list.advance(brief, changes)) return this.#show(list);
        }
        const journal = await this.store.journal(id);
        if (!journal.row) return this.#drop(id);
        this.#takeUnfolded(id);
        list.load(journal);
        this.#show(list);
    }

    /** The changes to fold with the state just read. A fetch notes them before its stored state can be read. */
    #takeUnfolded(id) {
        const changes = this.unfolded.has(id) ? this.unfolded.get(id) : [];
        this.unfolded.delete(id);
        if (changes === null || changes.length) this.#purchases.delete(id);
        return changes?.sort((a, b) => a.sequence - b.sequence) ?? null;
    }

    async #reloadRows() {
        const lists = await this.store.lists();
        const here = new Set(lists.map(row => row.id));
        for (const id of this.rows.keys()) if (!here.has(id)) this.#drop(id);
        for (const row of lists) this.rows.set(row.id, row);
        this.#emit('lists');
    }

    #show(list) {
        const isNew = !this.rows.has(list.id);
        this.rows.set(list.id, list.row);
        this.states.set(list.id, list.state);
        if (isNew) this.#emit('lists');
        this.#saveFoldLater(list.id);
        this.#emit('list', { list: list.id });
    }

    #drop(id) {
        this.#opened.get(id)?.then(list => list.close(), () => {});
        this.#opened.delete(id);
        this.#openLists.delete(id);
        this.unfolded.delete(id);
        this.#purchases.delete(id);
        this.rows.delete(id);
        this.states.delete(id);
        clearTimeout(this.#folds.get(id));
        this.#folds.delete(id);
        this.#emit('gone', { list: id });
        this.#emit('lists');
    }

    #saveFoldLater(id) {
        if (this.#folds.has(id)) return;
        this.#folds.set(id, setTimeout(() => this.#saveFold(id), SAVE_FOLD_AFTER));
    }

    #saveFold(id) {
        clearTimeout(this.#folds.get(id));
        this.#folds.delete(id);
        const state = this.states.get(id);
        if (state) this.store.saveFold(id, state).catch(() => {});
    }

    #saveFolds() { for (const id of [...this.#folds.keys()]) this.#saveFold(id); }

    // MARK: Tabs

    /** Sends a message about a room on the device's socket, which the leading tab has. */
    say(message) {
        if (!this.isLeading) this.#leader.tell({ type: 'say', message });
        else if (!this.#hints.say(message) && message.type === 'join') {
            this.#emit('socket', { type: 'lost' });
            this.#leader.tell({ type: 'socket', event: { type: 'lost' } });
        }
    }

    #lead() {
        note('leads');
        if (!this.session) return;
        this.#hints.start();
        this.sync('launch');
        // A browser that is used stays signed in.
        this.refreshAccount().catch(() => {});
    }

    /** Another tab has taken over while this one stood still, and may have told it things that it never heard. */
    #stepDown() {
        note('leads no more');
        this.#hints.stop();
        for (const id of this.#opened.keys()) this.#reload(id, { afresh: true }).catch(error => this.noteTrouble(error));
    }

    async #hear(message) {
        switch (message?.type) {
        case 'sync':
            if (this.isLeading) this.sync(message.trigger);
            break;
        case 'list':
            if (this.trolley) await this.#reload(message.list, { afresh: true }).catch(error => this.noteTrouble(error));
            break;
        case 'progress':
            this.#showProgress(message.progress, message.pace);
            break;
        case 'progress?':
            if (this.isLeading) this.#leader.tell({ type: 'progress', progress: this.progress, pace: this.pace });
            break;
        case 'refused':
            this.refused = message.count;
            this.#emit('progress');
            break;
        case 'moved': this.#emit('moved', message); break;
        case 'summaries': this.#noteSummaries(message.summaries); break;
        case 'presence': this.#emit('presence', { list: message.list }); break;
        case 'socket': this.#emit('socket', message.event); break;
        case 'say':
            if (this.isLeading) this.say(message.message);
            break;
        case 'double-buy': this.#emit('double-buy', message); break;
        case 'session': this.#emit('session-elsewhere'); break;
        }
    }

    #emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

    // MARK: The account

    async signUp({ name, email, password, invitation, emailCode }) {
        const form = { email, name, password, ...(invitation && { invitation }), ...(emailCode && { emailCode }) };
        const { device, ...account } = await call('POST', 'accounts', { ...form, cookie: true, deviceName: deviceName() });
        return device ? this.#begin({ account, device }) : this.signIn({ email, password });
    }

    async signIn({ email, password }) {
        return this.#begin(await call('POST', 'sessions', { email, password, cookie: true, deviceName: deviceName() }));
    }

    /** Whether the browser has cleared the storage of a person who was signed in. */
    get isCleared() { return !this.session && isKnown(); }

    /** Goes on with the session of the cookie, after the browser has cleared the storage. */
    async resume() {
        const account = await call('GET', 'account');
        const { devices } = await call('GET', 'devices');
        if (!this.session) await this.#begin({ account, device: devices.find(device => device.current) });
    }

    async #begin({ account, device }) {
        const session = { account, device };
        const before = this.session?.account;
        // Another account's data must not go to this person.
        if (before && before.id !== account.id && before.email.toLowerCase() !== account.email.toLowerCase()) {
            await this.#forgetEverything();
        }
        if (this.session) {
            // The service has ended the session. If it has lost the account, a new account with the same address succeeds it.
            await this.store.signedInAgain(session, new Date());
            for (const id of this.rows.keys()) this.unfolded.set(id, null);
        } else {
            await this.store.saveSession(session);
            if (this.left) await this.#reloadRows();
        }
        this.session = session;
        this.left = null;
        setKnown(true);
        for (const id of [...this.rows.keys()]) await this.refresh(id);
        this.#leader.tell({ type: 'session' });
        this.#emit('session');
        if (this.isLeading) this.#hints.start();
        this.sync('byHand');
        navigator.storage?.persist?.().catch(() => {});
    }

    /** Asks for the account as the service has it, which also renews the cookie. */
    async refreshAccount() { return this.noteAccount(await call('GET', 'account')); }

    async noteAccount(account) {
        if (this.session?.account.id !== account.id) return account;
        this.session = { ...this.session, account };
        await this.store.renewSession(this.session);
        return account;
    }

    /** The number of changes that signing out would lose. */
    async unsent() { return (await this.store.status()).lists.reduce((sum, list) => sum + list.waiting, 0); }

    async signOut({ isOver = false } = {}) {
        if (!isOver) {
            try {
                await call('DELETE', 'session');
            } catch (error) {
                // The service has ended it already.
                if (!(error instanceof CallError) || error.code !== 'notAuthenticated') throw error;
            }
        }
        await this.#end(() => this.store.wipe());
    }

    #isLeaving = false;
    /** An answer says that this browser was signed out elsewhere: the lists leave, if that is true of the present session. */
    async #leave() {
        if (!this.session || this.#isLeaving) return;
        this.#isLeaving = true;
        try {
            // The answer may have been to an earlier session's call.
            const error = await call('GET', 'account').then(() => null, error => error);
            if (error?.problem?.signedOut) await this.#end(async () => { this.left = await this.store.leave(); });
        } finally {
            this.#isLeaving = false;
        }
    }

    /** @param {() => Promise<any>} clear  the storage */
    async #end(clear) {
        this.#hints.stop();
        await this.#forgetEverything(clear);
        this.#leader.tell({ type: 'session' });
        this.#emit('session');
    }

    async #forgetEverything(clear = () => this.store.wipe()) {
        // The service has ended the subscription with the session, or will not reach this browser any more.
        if (await this.store.push()) await import('./push.js').then(push => push.forget()).catch(() => {});
        await clear();
        this.session = null;
        for (const id of [...this.rows.keys()]) this.#drop(id);
        this.#purchases.clear();
        this.summaries.clear();
        this.progress = { type: 'unknown' };
        this.isInStep = false;
        this.refused = 0;
        this.pace = {};
        setKnown(false);
        // A fetch that is under way keeps the store of its session.
        this.store = new Store(this.store.database);
        this.#engine = null;
    }

    saveSettings(values) {
        this.settings = { ...this.settings, ...values };
        return this.attempt(() => this.store.saveSettings(this.settings));
    }
}
