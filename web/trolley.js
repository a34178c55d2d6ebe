// Trolley's journal and the deciding half of its sync, for JavaScript: the same Swift as everywhere else, as WebAssembly.
//
// Everything here is a value or a decision. Storage, network, clock, and randomness are the caller's. Times are RFC 3339 in
// UTC, identifiers are UUIDs in lower case, and entries and changes are as the service sends them (docs/protocol.md).

// The numbers are ModuleCall's, in Sources/TrolleyModule/ModuleCall.swift.
const calls = {
    identifiers: 1, lines: 4,
    openList: 10, closeList: 11, apply: 12, setPending: 13, append: 14, forget: 15, state: 16, digest: 17, match: 18,
    plan: 19, pass: 20, arrivals: 21, add: 22, messages: 23,
    openMachine: 30, closeMachine: 31, next: 32, cutUpload: 33, settle: 34, receiving: 35, ended: 36,
    triggers: 37, uploadEnded: 38, report: 39, renumber: 24, offer: 25, rules: 26,
    // In later.wasm:
    trips: 40, purchases: 41, learn: 42, arrange: 43, missing: 44, steps: 45, repetition: 46, doubleBuys: 47, combine: 48, restoration: 49,
    openRoom: 50, closeRoom: 51, room: 52,
    openCatalogue: 60, words: 61, openPast: 62, closePast: 63, follow: 64, aisles: 65, complete: 66, arrangeAisles: 67,
    // In documents.wasm:
    read: 70, addItems: 71,
    inspect: 2, resolve: 3, // the service's, only in the module that tests load
};

/**
 * @typedef {string} UUID
 * @typedef {string} Time  RFC 3339, UTC, three decimals
 * @typedef {{[name: string]: any}} Fields  `text`, `quantity`, `note`, `aisle` are texts; others are kept as they are. In an entry, null removes one
 * @typedef {{id: UUID, operation: string, item?: UUID, after?: UUID | null, fields?: Fields, batch?: UUID, cause: string,
 *   reverts?: UUID, deviceSequence: number}} Entry  an entry as the device made it
 * @typedef {Entry & {sequence: number, author: UUID, device: UUID, madeAt: Time, receivedAt: Time}} ConfirmedEntry
 * @typedef {{entry: Entry, madeAt: Time}} PendingEntry  one's own, not confirmed, with the device's estimate
 * @typedef {{sequence: number, type: string}} Change  one of a list's stream: entry, share, or discard
 * @typedef {{operation: string, item?: UUID, after?: UUID | null, fields?: Fields, cause?: string, reverts?: UUID}} Draft
 *   an entry that is planned
 * @typedef {{entry: Entry, replaced: object[]}} UndoRecord  to be stored with each entry of one's own; entries about messages
 *   have only `entry`, and are not for `openList`
 * @typedef {{id: UUID, text: string, aisle?: string, shop?: string}} ArrangedRow  an item, as far as its place depends on it
 * @typedef {{id: UUID, text: string, markedOff: boolean, fields: Fields}} Item
 * @typedef {{id: UUID, sequence?: number, author: UUID | null, madeAt: Time, item?: UUID, text: string, fields: Fields,
 *   reactions: {text: string, accounts: UUID[]}[], pinned: boolean}} Message  without `sequence`: it waits to be sent
 * @typedef {{through: number, name: string | null, colour: string | null, items: Item[]}} ListState
 * @typedef {{entry: UUID, item: UUID | null, text: string, quantity: string | null, aisle: string | null, at: Time,
 *   by: UUID | null, number: number, batch: UUID | null, added: Time | null, addedBy: UUID | null}} Purchase  `number`: the
 *   entry's `deviceSequence`; `added`: when the item was added, and by whom
 * @typedef {{entries: ConfirmedEntry[], pending?: PendingEntry[], person?: UUID, bought?: Purchase[]}} Past  a list's entries,
 *   the person who made the pending ones, and the kept purchases of compressed entries
 * @typedef {{start: Time, end: Time, duration: number, isOver?: boolean, people: UUID[], picks: Purchase[],
 *   added: {item: UUID, text: string, at: Time, by: UUID | null}[]}} Trip  `duration` in milliseconds; `people` in the order of
 *   their first picks; `added`: during the trip
 * @typedef {{token: string | null, isStaging: boolean, through: number, isLocal: boolean, isPublished: boolean, share?: object,
 *   ownership?: string | null, account?: UUID}} ReceivingList  a list as a device has it; `isLocal`: on this device alone;
 *   `ownership`: the service's proof that the list is the account's; '': it has issued none; null: not asked yet
 * @typedef {{recipe?: {name: string | null, portions: number | null, lines: {fields: Fields, isProposed: boolean}[]},
 *   lists?: {name: string | null, colour: string | null, aisles: string[], shops: {name: string, aisles: string[]}[],
 *     items: {fields: Fields, isMarkedOff: boolean}[]}[],
 *   leftOut?: string[], problem?: string, line?: number,
 *   table?: {names: string[], meanings: string[], samples: string[][]}}} Imported  a recipe, or lists, or a `problem`: then nothing
 *   can be imported; `leftOut`: what a list can't represent; `table`: the columns of a CSV file; a meaning is `text`, `quantity`,
 *   `unit`, `note`, `aisle`, `mark`, `list`, or '' for a column that is left out
 * @typedef {{boot: string, uptime: number, wall: Time}} DeviceTime  uptime in milliseconds; boot: '' where it isn't known
 */

/** A call that the module refused: its input was not what it should be. Nothing has changed. */
export class TrolleyError extends Error {}

/**
 * A call in which the module trapped, for instance because there was no memory left, or one about what was open then: that is gone.
 * See {@link Trolley.onTrap}.
 */
export class TrapError extends Error {}

/** The module's memory, until it traps. */
class Instance {
    #exports;
    #onTrap;
    #encoder = new TextEncoder();
    #decoder = new TextDecoder();

    constructor({ exports }, onTrap) {
        this.#exports = exports;
        this.#onTrap = onTrap;
        exports._initialize?.();
        // The secret of its hash tables, so that nobody can choose ids that collide.
        exports.trolley_seed(...crypto.getRandomValues(new Uint32Array(2)));
    }

    callBytes(name, handle, input) {
        const { length } = input, module = this.#exports;
        let isError, count, output;
        try {
            const at = module.trolley_allocate(length);
            new Uint8Array(module.memory.buffer, at, length).set(input);
            const result = module.trolley_call(calls[name], handle, at, length);
            module.trolley_free(at);
            // The call may have grown the memory: only now is its buffer the right one.
            [isError, count] = new Uint32Array(module.memory.buffer, result, 2);
            output = new Uint8Array(module.memory.buffer, result + 8, count).slice();
            module.trolley_free(result);
        } catch (cause) {
            // What is in its memory may be half written.
            this.#exports = null;
            if (module) this.#onTrap();
            throw new TrapError(`the module has trapped (${name})`, { cause });
        }
        if (isError) throw new TrolleyError(JSON.parse(this.#decoder.decode(output)).error);
        return output;
    }

    call(name, handle, input = {}) {
        const bytes = input instanceof Uint8Array ? input : this.#encoder.encode(JSON.stringify(input));
        return JSON.parse(this.#decoder.decode(this.callBytes(name, handle, bytes)));
    }

    /** Frees what is open. After a trap it is gone already. */
    close(name, handle) { if (this.#exports) this.call(name, handle); }
}

/** What is open in the module, until it is closed or the module traps. */
class Opened {
    #instance;
    #handle;

    constructor(instance, handle) {
        this.#instance = instance;
        this.#handle = handle;
    }

    /** @protected */
    ask(name, input) { return this.#instance.call(name, this.#handle, input); }

    /** @protected */
    end(name) { this.#instance.close(name, this.#handle); }
}

/** The module in memory. {@link Trolley.load} makes one. */
export class Trolley {
    #instance;
    /**
     * Fulfilled when calls are possible: after a trap the module begins again, with nothing open, and nothing is loaded for it.
     * @type {Promise<void>}
     */
    ready = Promise.resolve();
    /** Called when the module has trapped. What was open is gone: open it again after `ready`. */
    onTrap = () => {};

    /**
     * Loads the module, or another one (`later.wasm`, `documents.wasm`): the calls below say which they are in. None imports anything.
     * @param {BufferSource | Response | Promise<Response>} source  its bytes, or what `fetch` answers
     * @returns {Promise<Trolley>}
     */
    static async load(source) {
        source = await source;
        const { instance, module } = typeof Response !== 'undefined' && source instanceof Response
            ? await WebAssembly.instantiateStreaming(source)
            : await WebAssembly.instantiate(source);
        return new Trolley(instance, module);
    }

    /**
     * @param {WebAssembly.Instance} instance  one that nothing was called of yet
     * @param {WebAssembly.Module} module  for further instances after a trap
     */
    constructor(instance, module) {
        const begin = instance => {
            this.#instance = new Instance(instance, () => {
                this.ready = WebAssembly.instantiate(module).then(begin);
                this.ready.catch(() => { /* Who waits for it is told. */ });
                this.onTrap();
            });
        };
        begin(instance);
    }

    /**
     * Does a call: bytes in, bytes out. All other methods use it. Pass large inputs as bytes.
     * @param {keyof typeof calls} name
     * @param {number} handle  of a list or a machine; 0 where the call is about none
     * @param {Uint8Array} input  one JSON object in UTF-8
     * @returns {Uint8Array}  one JSON object in UTF-8
     */
    callBytes(name, handle, input) { return this.#instance.callBytes(name, handle, input); }

    /**
     * The same with values.
     * @param {keyof typeof calls} name
     * @param {number} handle
     * @param {object | Uint8Array} input
     * @returns {any}
     */
    call(name, handle = 0, input = {}) { return this.#instance.call(name, handle, input); }

    /**
     * New identifiers: UUIDs of version 7.
     * @param {Time} at
     * @returns {UUID[]}
     */
    identifiers(at, count = 1) { return this.call('identifiers', 0, { at, random: randomBits(count) }).ids; }

    /**
     * Reads pasted text, one item a line: bullets, numbers, boxes, and quantities.
     * @param {string} text
     * @param {boolean} [asWritten]  quantities stay in the text
     * @returns {{text: string, quantity: string | null, markedOff: boolean}[]}
     */
    lines(text, asWritten = false) { return this.call('lines', 0, { text, asWritten }).lines; }

    /**
     * Opens a list: it stays folded until it is closed.
     * @param {{entries?: ConfirmedEntry[], pending?: PendingEntry[], records?: UndoRecord[], passed?: UUID[],
     *   unseen?: {item: UUID, entry: UUID}[], device?: UUID} | Uint8Array} [stored]  what the device has of it. Without
     *   `records`, what this `device` can undo is worked out from the entries.
     * @returns {TrolleyList}
     */
    openList(stored = {}) { return new TrolleyList(this.#instance, this.call('openList', 0, stored).handle); }

    /**
     * Begins a run of the device's sync.
     * @returns {SyncMachine}
     */
    openMachine() { return new SyncMachine(this.#instance, this.call('openMachine').handle); }

    /**
     * The entries of an upload queue that fit into one request.
     * @param {{entry: Entry, made: DeviceTime, isOffered?: boolean}[]} queued  in order
     * @param {DeviceTime} at  now
     * @param {number} bytes  of the request's body at the most
     * @returns {{entries: UUID[], bytes: number, age?: number, body: object}}  `age`: of the youngest own one, in milliseconds
     */
    cutUpload(queued, at, bytes) { return this.call('cutUpload', 0, { queued, at, bytes }); }

    /**
     * Adds a trigger to those that wait for the next runs. None is lost: a trigger makes way only for one that waits no longer.
     * @param {string[]} waiting  the triggers that wait, the next run's first
     * @param {string} trigger
     * @returns {string[]}  the triggers that wait then
     */
    queueTrigger(waiting, trigger) { return this.call('triggers', 0, { waiting, trigger }).waiting; }

    /**
     * What becomes of entries that were sent after the service's answer.
     * @param {{id: UUID, operation: string, isOffered: boolean, isOwn: boolean}[]} queued
     * @param {{response: object} | {refused: {code: string, detail: string | null}}} answer  or why it refuses all of them
     * @param {number} through  the store has all changes up to this sequence
     * @returns {{taken: {entry: UUID, sequence: number}[], retired: UUID[], refused: {entry: UUID, code: string, detail: string | null}[],
     *   sent: number, rejected: number, held: number}}  as `Settlement`
     */
    settle(queued, answer, through) { return this.call('settle', 0, { queued, through, ...answer }); }

    /**
     * The new times of a queue's first entries after an upload has ended.
     * @param {{wall: Time, estimate: Time, isSent?: boolean, isOffered?: boolean, isConfirmed?: boolean}[]} queued  `isSent`: by this
     *   upload; `isOffered`: again; `isConfirmed`: the service had confirmed it before
     * @param {number} age  with which the youngest own entry was sent, in milliseconds
     * @param {Time} at  the wall clock
     * @param {object} [response]  the service's answer, if there is one
     * @returns {({wall: Time, estimate: Time} | null)[]}  null: an entry keeps its own
     */
    uploadEnded(queued, age, at, response) { return this.call('uploadEnded', 0, { queued, age, at, response }).times; }

    /**
     * The report on both queues for a fetch.
     * @param {{id: UUID, waiting: {operation: string, number: number, wall: Time}[], toApply: string[]}[]} lists
     * @param {{code: string, count: number, at: Time}[]} failures  of runs, and rejections of entries
     * @param {Time} at
     */
    report(lists, failures, at) { return this.call('report', 0, { lists, failures, at }); }

    /**
     * The numbers of a list's unsent entries for a new device.
     * @param {{number: number, isSent: boolean, isOffered: boolean}[]} queued
     * @returns {{numbers: (number | null)[], last: number}}  null: an entry keeps its own
     */
    renumber(queued) { return this.call('renumber', 0, { queued }); }

    /**
     * How to offer a whole list again: where its confirmed entries go in the upload queue, and when they were made by this
     * device's clock.
     * @param {Time[]} madeAt  of the confirmed entries
     * @param {{first?: number, unsent?: Time, at: Time}} queue  its first position, and when its earliest own entry was made
     * @returns {{position: number, walls: Time[]}}
     */
    offer(madeAt, queue) { return this.call('offer', 0, { madeAt, ...queue }); }

    /**
     * What a store and a shell need to know.
     * @param {number} [protocolVersion]  of an answer of the service
     * @returns {{reofferWindow: number, reach: number, protocolVersions: number[], problem?: object}}  `problem`: why an answer of
     *   this version can't be used
     */
    rules(protocolVersion) { return this.call('rules', 0, { protocolVersion }); }

    /**
     * How to store a page of a list, and what becomes of the changes that are taken: from the page, or from what was staged.
     * @param {ReceivingList} list  before the page
     * @param {{isSnapshot: boolean, moreComing: boolean, isEmpty: boolean, hasDigest: boolean} | null} page  null: no more of a
     *   staged snapshot will come, and it replaces the list as it is
     * @param {{type: 'entry' | 'share' | 'discard', sequence: number, isOwn: boolean, wasApplied: boolean, share?: object}[]} [taken]
     *   `isOwn`: an entry of this device that has not come back before; `wasApplied`: an entry that was applied before the list
     *   was cleared
     * @returns {{steps: ('unstage' | 'stage' | 'clear' | 'take' | 'takeStaged' | 'reoffer' | 'pass' | 'keep' | 'compare')[],
     *   isStaging: boolean, through: number, ownership: string | null, applied: boolean[], news: boolean[]}}  the steps of
     *   `ReceivingStep`, in order; for each change whether it is applied at once, and whether it is new to the person
     */
    receiving(list, page, taken = []) { return this.call('receiving', 0, { list, page, taken }); }

    /**
     * Whether a list is the person's own.
     * @param {ReceivingList} list
     * @returns {boolean}
     */
    isOwn(list) { return this.ended(list).isOwn; }

    /**
     * What to do with a list for which a fetch brings no page.
     * @param {ReceivingList} list
     * @param {{isGone?: boolean, isUnknown?: boolean, isAccountLost?: boolean}} [end]  `isAccountLost`: another account succeeds the
     *   list's, which the service has lost; `isGone`: the account is not on it any more; otherwise its token is refused;
     *   `isUnknown`: the service doesn't know the list
     * @returns {{isOwn: boolean, step: 'fetchAfresh' | 'offerAgain' | 'keepHere' | 'makeAnew' | 'leave' | null,
     *   isPublished: boolean, isLocal: boolean, ownership: string | null}}  `step`: as `EndStep`; then what is stored of the list
     *   after a step with which it stays on this device
     */
    ended(list, end) { return this.call('ended', 0, { list, ...end }); }

    // In later.wasm:

    /**
     * The shopping trips, inferred from the marks, oldest first.
     * @param {Past & {at?: Time} | Uint8Array} past  with the time, each trip says whether it is over
     * @returns {{trips: Trip[]}}
     */
    trips(past) { return this.call('trips', 0, past); }

    /**
     * The purchases, in the order in which they were made: to be kept when entries are compressed.
     * @param {{entries: ConfirmedEntry[]} | Uint8Array} past
     * @returns {{purchases: Purchase[], mostKept: number}}  `mostKept`: of each list, the latest
     */
    purchases(past) { return this.call('purchases', 0, past); }

    /**
     * The order in which items were marked off on past trips.
     * @param {Past & {at: Time, shop?: string} | Uint8Array} past  with a shop, only trips in it count, if there are any
     * @returns {{places: object}}  for `arrange`
     */
    learn(past) { return this.call('learn', 0, past); }

    /**
     * The rows of shopping mode: by aisle, and in the learned order.
     * @param {{rows: ArrangedRow[], aisles?: string[], shops?: {name: string, aisles?: string[]}[], shop?: string,
     *   places?: object}} list  rows in list order, the list's order of aisles, its shops, and the shop where the person is
     * @returns {{groups: {aisle: string | null, rows: {id: UUID, usual: number | null}[]}[], elsewhere: UUID[]}}  `usual`: the usual
     *   place on a trip; `elsewhere`: what is bought in other shops
     */
    arrange(list) { return this.call('arrange', 0, list); }

    /**
     * The rows of several lists as one: what they call by the same text is one row. What is bought in other shops is left out.
     * @param {{list: UUID, rows: (ArrangedRow & {markedOff?: boolean})[], aisles?: string[], shops?: {name: string,
     *   aisles?: string[]}[], places?: object}[]} lists  where they differ, the first one decides
     * @param {string} [shop]  where the person is
     * @returns {{aisle: string | null, parts: {list: UUID, item: UUID}[]}[]}
     */
    combine(lists, shop) { return this.call('combine', 0, { lists, ...shop && { shop } }).rows; }

    /**
     * For a slider over a trip: for each pick, the entries that were made until then and not before the previous pick. The list
     * after a pick is folded from those of all steps up to it.
     * @param {Past} past
     * @param {Purchase[]} picks
     * @returns {{steps: UUID[][]}}
     */
    steps(past, picks) { return this.call('steps', 0, { ...past, picks }); }

    /**
     * What putting the items of a trip on the list again comes to. An item that is wanted stays as it is, in whatever quantity.
     * @param {Past} past
     * @param {Item[]} items  that the list shows
     * @param {Purchase[]} picks
     * @param {Time} at  the wall clock
     * @returns {{drafts: Draft[], added: {item: UUID, text: string, outcome: 'added' | 'back' | 'present'}[]}}
     */
    repetition(past, items, picks, at) {
        return this.call('repetition', 0, { ...past, items, picks, at, random: randomBits(picks.length) });
    }

    /**
     * What puts a list back to an earlier state, from what it shows now.
     * @param {{entries: ConfirmedEntry[], pending: PendingEntry[]}} journal
     * @param {object} target  a state, as the service's replay answers
     * @returns {{drafts: Draft[]}}  one gesture; none if the list is as it was then
     */
    restoration({ entries, pending }, target) { return this.call('restoration', 0, { entries, pending, target }); }

    /**
     * The devices that may still send marks of a trip.
     * @param {{waitingFor: object[], end: Time, device?: UUID}} answer  as the service's replay answers; the trip's end; this device
     * @returns {{waitingFor: {device: UUID, holdsBack?: number, notHeardOfSince?: Time | null}[]}}
     */
    missing(answer) { return this.call('missing', 0, answer); }

    /**
     * Items that two people have marked off at nearly the same time, as far as new entries bring them.
     * @param {ConfirmedEntry[]} entries  a list's, with the new ones
     * @param {UUID[]} news  the new entries
     * @returns {{item: UUID, first: UUID, firstAt: Time, second: UUID, secondAt: Time, entry: UUID}[]}  `first` and `second`
     *   are accounts; `entry` is the later mark
     */
    doubleBuys(entries, news) { return this.call('doubleBuys', 0, { entries, news }).found; }

    /**
     * Opens a room on a list, as this device sees it.
     * @param {UUID} account
     * @param {UUID} device
     * @returns {RoomMachine}
     */
    openRoom(account, device) { return new RoomMachine(this.#instance, this.call('openRoom', 0, { account, device }).handle); }

    /**
     * Reads a language's catalogue. It stays open.
     * @param {string} table  the text of a file in `Catalogue/`
     * @returns {number}  its handle
     */
    openCatalogue(table) { return this.call('openCatalogue', 0, { table }).handle; }

    /**
     * The catalogue's aisles.
     * @param {number} catalogue
     * @returns {{id: string, name: string}[]}
     */
    shelves(catalogue) { return this.call('words', catalogue).aisles; }

    /**
     * What the catalogue has in an aisle, the most common first.
     * @param {number} catalogue
     * @param {string} aisle  its id
     * @returns {string[]}
     */
    words(catalogue, aisle) { return this.call('words', catalogue, { aisle }).words; }

    /**
     * Opens what happened on a list: `complete` reads the purchases of all that are open.
     * @param {{entries: ConfirmedEntry[], bought?: Purchase[], isFolded?: boolean} | Uint8Array} past  `isFolded`: aisles are
     *   asked for, too
     * @returns {ListPast}
     */
    openPast(past) { return new ListPast(this.#instance, this.call('openPast', 0, past).handle); }

    /**
     * What a person may be about to add: first what was bought before, on all lists whose past is open, then words of the
     * catalogue (`isKnown`).
     * @param {{text: string, wanted: string[], at: Time, limit: number}} typed  what was written so far, and the texts of what
     *   the list wants already, which doesn't come
     * @param {number} [catalogue]  its handle
     * @returns {{text: string, quantity: string | null, aisle: string | null, due: boolean, isKnown: boolean}[]}
     */
    complete(typed, catalogue = 0) { return this.call('complete', catalogue, typed).completions; }

    // In documents.wasm:

    /**
     * Reads a recipe (as text, as a page, or as its JSON), or lists of this or another program.
     * @param {{text: string, file?: string, meanings?: string[], isFirstRowNames?: boolean, makes?: number, portions?: number}}
     *   source  `file`: the file's name; `meanings`: of a table's columns; `isFirstRowNames`: whether its first row names them;
     *   `makes`: the recipe's portions, if it doesn't say; `portions`: to scale it for
     * @returns {Imported}
     */
    read(source) { return this.call('read', 0, source); }

    /**
     * What adding items to a list comes to, as {@link TrolleyList.additions}.
     * @param {{fields: Fields, isMarkedOff?: boolean}[]} items
     * @param {Item[]} present  the list's items
     * @param {Time} at  the wall clock
     * @returns {{drafts: Draft[], added: {item: UUID, text: string, outcome: 'added' | 'back' | 'present'}[]}}
     */
    addItems(items, present, at) {
        return this.call('addItems', 0, { items, present, at, after: present.at(-1)?.id, random: randomBits(items.length) });
    }
}

/** A list that is kept folded. */
export class TrolleyList extends Opened {
    /** Frees its memory. Call no method of the list afterwards. */
    close() { this.end('closeList'); }

    /**
     * Applies changes in the order of the stream. Entries of one's own that come in them wait no longer.
     * @param {{changes: Change[]} | Uint8Array} page
     * @returns {{through: number}}  the sequence that is folded
     */
    apply(page) { return this.ask('apply', page); }

    /**
     * Replaces the entries that are not confirmed.
     * @param {PendingEntry[]} pending
     */
    setPending(pending) { this.ask('setPending', { pending }); }

    /**
     * Does what a person does at once: the drafts become entries, on top of the list.
     * @param {Draft[]} drafts  an `add` without an item gets a new one
     * @param {Time} at  the wall clock
     * @param {number} deviceSequence  of the first entry
     * @param {UUID} [batch]  of the gesture; several drafts without one get a new one
     * @returns {{madeAt: Time, records: UndoRecord[]}}  what to store: each record has its entry
     */
    append(drafts, at, deviceSequence, batch) {
        return this.ask('append', { drafts, at, deviceSequence, batch, random: randomBits(2 * drafts.length + 1) });
    }

    /**
     * What putting pasted lines on the list comes to: what is there already is not doubled.
     * @param {string} text  one item a line
     * @param {Time} at  the wall clock
     * @param {UUID} [after]  the item that new items go below, on the list or on its way; otherwise the last one
     * @returns {{drafts: Draft[], added: {item: UUID, text: string, outcome: 'added' | 'back' | 'present'}[]}}
     */
    additions(text, at, after) {
        return this.ask('add', { text, at, after, random: randomBits(text.split(/[\n\r\u2028\u2029]/).length) });
    }

    /**
     * Takes out entries that the service refused for good: they never happened.
     * @param {UUID[]} entries
     */
    forget(entries) { this.ask('forget', { entries }); }

    /**
     * The shown list.
     * @returns {ListState}
     */
    state() { return this.ask('state'); }

    /**
     * The list's messages, oldest first.
     * @param {{limit?: number, item?: UUID, pinned?: boolean, person?: UUID}} [which]  at most the last `limit`; only those about
     *   an item; or only the pinned ones, and all of them; the device's person, whose own messages that wait get this author
     * @returns {{count: number, messages: Message[]}}  `count`: all that are not deleted
     */
    messages(which = {}) { return this.ask('messages', which); }

    /** @returns {{through: number, shown: string, confirmed: string}}  `confirmed` is the one to compare with the service's */
    digest() { return this.ask('digest'); }

    /**
     * The items that a person may mean by a text.
     * @param {string} text
     * @returns {UUID[]}
     */
    matching(text) { return this.ask('match', { text }).items; }

    /**
     * The items that a person looks for by a text: in their texts, notes and aisles.
     * @param {string} text
     * @returns {UUID[]}
     */
    found(text) { return this.ask('match', { text, isSearch: true }).items; }

    /**
     * Plans the next undo or redo.
     * @param {'undo' | 'redo'} cause
     * @returns {{drafts: Draft[], step: {gesture: Entry[], drafts: Draft[], skipped: object[]} | null}}
     *   `step`: the next gesture. If its drafts are empty, others have superseded it: tell the person, then `pass` it.
     *   `drafts`: those of the next gesture with any drafts; it skips superseded gestures without a message.
     */
    plan(cause) { return this.ask('plan', { cause }); }

    /**
     * The entries that the next undo or redo is about, without what it comes to.
     * @param {'undo' | 'redo'} cause
     * @returns {UUID[]}
     */
    nextGesture(cause) { return this.ask('plan', { cause, isBrief: true }).gesture; }

    /**
     * Marks a gesture as undone that others have superseded.
     * @param {UUID[]} entries  its gesture's
     */
    pass(entries) { this.ask('pass', { entries }); }

    /**
     * Which entries of the to-apply queue may show now.
     * @param {ConfirmedEntry[]} entries  all that wait, in order
     * @param {Time} received  when the list was fetched last
     * @param {boolean} shopping  nothing may jump then: what adds or moves goes on waiting
     * @returns {{apply: UUID[], unseen: {item: UUID, entry: UUID}[]}}  `unseen`: to be stored, and given to `openList`
     */
    arrivals(entries, received, shopping) { return this.ask('arrivals', { entries, received, shopping }); }
}

/** What happened on a list: what was bought, and what the household taught about aisles. */
export class ListPast extends Opened {
    /** Frees its memory. */
    close() { this.end('closePast'); }

    /**
     * Takes later entries. After compression open the past again, because that changes what is kept of purchases.
     * @param {Change[]} changes
     * @returns {number}  the sequence that it reaches to
     */
    follow(changes) { return this.ask('follow', { changes }).through; }

    /**
     * The aisles of new items.
     * @param {string[]} texts
     * @param {{pending: PendingEntry[], language: string, names: {language: string, aisles: string[]}[],
     *   catalogues: {language: string, handle: number}[]}} known  `language`: the device's; `names`: of the aisles in each
     *   language; `catalogues`: those that are open
     * @returns {{language: string, choices: ({aisle: string, reason: 'taught' | 'alike' | 'catalogue', because?: string} | null)[]}}
     *   `language`: that of the list's aisles. If its catalogue is not open, nothing is read.
     */
    aisles(texts, known) { return this.ask('aisles', { texts, ...known }); }

    /**
     * Renames, merges and orders the list's aisles, or those of one of its shops.
     * @param {PendingEntry[]} pending
     * @param {{renamings?: {aisle: string, name?: string}[], order?: string[], shop?: string, isGone?: boolean}} [wish]  a renaming
     *   without a name takes the aisle away; `order` has the present names; `shop` is added or gets the order, or goes
     * @returns {{aisles: string[], drafts: Draft[]}}  the aisles as they are, and the changes, one gesture
     */
    arrangeAisles(pending, wish = {}) { return this.ask('arrangeAisles', { pending, ...wish }); }
}

/** A run of the device's sync: it decides, the caller acts. */
export class SyncMachine extends Opened {
    /**
     * What to do next. The first event is `{type: 'begun', trigger}`; after the action `finish` the run is over.
     * @param {object} event  what came of the last action. After `fetch`: `{type: 'fetched', outcome, moreComing, unreachable}`, where
     *   `outcome` has for each page `{news?, isNew?, hasNewToken?, changes?, discarded?, differs?}`, and for each list without one
     *   `{step, isGone, keptAside?}`
     * @param {Time} at
     * @returns {{action: object, retryState: object, progress: object}}  `retryState`: to be stored, and given back with
     *   `deviceStatus`
     */
    next(event, at) {
        const random = crypto.getRandomValues(new Uint32Array(1))[0];
        return this.ask('next', { event, at, random });
    }

    /** Frees its memory. */
    close() { this.end('closeMachine'); }
}

/** A device's room on one list: it decides, the caller acts (docs/protocol.md, Rooms). */
export class RoomMachine extends Opened {
    /**
     * What to do after an event, and what to show. The events:
     * - `{type: 'presence', devices}`: the service's answer to this device's presence;
     * - `{type: 'hail', id, room, account, device, credentials}`: a hail to this device, and the text that was sealed in it, or
     *   null;
     * - `{type: 'made', expiresAt}` or `{type: 'makingFailed'}`, after the action `makeRoom`;
     * - the service's messages on the socket, `joined`, `entered`, `left`, `closed`, `refused`, and `said` with the opened `frame`
     *   as well; `{type: 'lost'}`: the socket has closed, or can't be opened;
     * - `{type: 'look', item?}`, `{type: 'type', item?}`: what the person does;
     * - `{type: 'journal', waiting: Entry[], arrived: UUID[], through}`: the unconfirmed entries, of which one more than
     *   `maximumTentative` is enough, and those of `awaited` that are in the journal, which reaches to the sequence `through`;
     * - `{type: 'tick'}`: it is `until`; `{type: 'stop'}`: the list is closed.
     *
     * The actions: `makeRoom` and `hail` with `credentials` and the devices `hailing`; `deleteHail` with `hail`; `connect` with
     * `credentials`; `disconnect` with `room`; `send` with `room` and `frame`; `fetch`; `doubleBuy` with `item` and the account `by`.
     * @param {object} event
     * @param {Time} at  by the service's clock
     * @returns {{actions: object[], phase: 'idle' | 'connecting' | 'live', room: UUID | null,
     *   members: {account: UUID, device: UUID}[], looking: {account: UUID, device: UUID, item: UUID | null}[],
     *   typing: {account: UUID, device: UUID, item: UUID | null}[],
     *   tentative: {item: UUID, account: UUID, operation: string, isAdded: boolean, isDeleted: boolean, markedOff?: boolean,
     *   text?: string}[], awaited: UUID[], maximumTentative: number, until: Time | null}}
     */
    after(event, at) {
        const random = event.type === 'presence' ? randomBits(3) : [];
        return this.ask('room', { event, at, random });
    }

    /** Frees its memory. */
    close() { this.end('closeRoom'); }
}

/**
 * Random bits in the form of UUIDs, without `randomUUID`, which only secure pages have.
 * @returns {UUID[]}
 */
function randomBits(count) {
    const bytes = new Uint8Array(16 * count);
    // At most 65,536 bytes at a time.
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
    return Array.from({ length: count }, (_, index) =>
        hex.slice(32 * index, 32 * index + 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
}
