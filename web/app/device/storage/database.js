// IndexedDB, as promises. Storage can fail in ways that a page has to survive: the connection is closed under it, the disk is
// full, the browser has evicted or damaged the data, or another tab has a newer version of the app.

const NAME = 'trolley';

/** Stores, their key paths, and their indices. Every key but those of `meta` begins with the list. Each version makes what is missing. */
export const SCHEMA = {
    // Account, device, retry state, settings.
    meta: {},
    lists: { keyPath: 'id' },
    // Confirmed entries; those with `waiting` are the to-apply queue.
    entries: { keyPath: ['list', 'sequence'], indices: { id: ['list', 'entry.id'], waiting: ['list', 'waiting'] } },
    // Pages of a snapshot that is not complete yet.
    staged: { keyPath: ['list', 'sequence'] },
    // This device's own unconfirmed entries. Those with `queued` are the upload queue.
    pending: { keyPath: ['list', 'position'], indices: { id: ['list', 'id'], queued: ['list', 'queued'] } },
    // This device's own recently confirmed entries, to offer them again to a restored service.
    confirmed: { keyPath: ['list', 'id'] },
    // What the device's own entries replaced, for undo; and steps that can't be undone any more.
    undo: { keyPath: ['list', 'position'], indices: { id: ['list', 'id'] } },
    passed: { keyPath: ['list', 'id'] },
    // Items that were added and finished before the person saw them.
    unseen: { keyPath: ['list', 'item'] },
    // Purchases of compressed entries.
    bought: { keyPath: ['list', 'entry'] },
    // The last shown state of each list, for the time before the module is loaded.
    folds: { keyPath: 'list' },
    rejected: { keyPath: 'key', autoIncrement: true },
    notices: { keyPath: 'key', autoIncrement: true },
};

/**
 * What each version after the first does with the records of the one before; the first step leads to version 2. A released step stays
 * as it is.
 * @type {((transaction: IDBTransaction) => void)[]}
 */
export const STEPS = [];

export const STORES = Object.keys(SCHEMA);
/** The stores whose records belong to one list. */
export const LIST_STORES = ['entries', 'staged', 'pending', 'confirmed', 'undo', 'passed', 'unseen', 'bought'];

/** The records of a list. */
export const ofList = list => IDBKeyRange.bound([list], [list, []]);
/** The records of a list in the index `queued` or `waiting`: those that have it. */
export const flagged = list => IDBKeyRange.only([list, 1]);

export async function entriesOf(t, list) { return (await t.all('entries', ofList(list))).map(record => record.entry); }

/** Storage that failed. `kind`: 'full', 'refused' (the browser gives none), 'newer' (another tab is newer), 'damaged'. */
export class StorageError extends Error {
    constructor(kind, cause) {
        super(`${kind}: ${cause?.name ?? ''} ${cause?.message ?? cause ?? ''}`, { cause });
        this.kind = kind;
    }
}

export class Database {
    #connection;
    /** Settles when chromium writes to a new log; undefined before the connection's first write. */
    #newLog;
    /** Called when another tab needs a newer version of the database: this tab can't go on. */
    onSuperseded = () => {};

    /**
     * Runs `work` in one transaction, and returns its result after the commit. A lost connection is opened again,
     * once. What was written is on the disk then.
     * @param {string[]} stores
     * @param {'readonly' | 'readwrite'} mode
     * @param {(transaction: Transaction) => Promise<any>} work  awaits only promises of the transaction
     */
    async transaction(stores, mode, work) {
        for (let attempt = 1; ; attempt++) {
            const connection = this.#open();
            try {
                const database = await connection;
                if (mode === 'readwrite') this.#newLog ??= beginNewLog();
                // Reads after the first write wait too, so that they see it.
                await this.#newLog;
                return await this.#attempt(database, stores, mode, work);
            } catch (error) {
                const failure = classified(error);
                // The browser may have closed the connection, or its files are gone.
                if (failure?.kind !== 'damaged' || attempt > 1) throw failure;
                // Another transaction that failed with it may have opened the next one, and work on it.
                if (this.#connection === connection) this.close();
            }
        }
    }

    read(stores, work) { return this.transaction(stores, 'readonly', work); }
    write(stores, work) { return this.transaction(stores, 'readwrite', work); }

    close() {
        const connection = this.#connection;
        this.#connection = undefined;
        connection?.then(database => database.close(), () => {});
    }

    /** Deletes the database. */
    async destroy() {
        this.close();
        await new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase(NAME);
            request.onsuccess = resolve;
            request.onerror = () => reject(classified(request.error));
            // Where it is blocked, other tabs close their connections when they get the event.
        });
    }

    #attempt(database, stores, mode, work) {
        return new Promise((resolve, reject) => {
            const transaction = database.transaction(stores, mode, { durability: 'strict' });
            let result, failure;
            transaction.oncomplete = () => resolve(result);
            // After a request has failed, the next one fails because of the abort. The transaction knows the first error.
            transaction.onabort = () => reject(transaction.error ?? failure ?? new DOMException('aborted', 'AbortError'));
            work(new Transaction(transaction)).then(value => { result = value; }, error => {
                failure = error;
                try { transaction.abort(); } catch { /* It is being aborted already. */ }
            });
        });
    }

    #open() {
        if (this.#connection) return this.#connection;
        const connection = new Promise((resolve, reject) => {
            this.#newLog = undefined;
            if (!globalThis.indexedDB) return reject(new StorageError('refused'));
            const request = indexedDB.open(NAME, STEPS.length + 1);
            request.onupgradeneeded = event => upgrade(request, event.oldVersion);
            request.onsuccess = () => {
                const database = request.result;
                database.onclose = forget;
                database.onversionchange = event => {
                    database.close();
                    forget();
                    if (event.newVersion) this.onSuperseded();
                };
                resolve(database);
            };
            // A private window of Firefox refuses storage so.
            request.onerror = () => reject(request.error?.name === 'InvalidStateError'
                ? new StorageError('refused', request.error) : request.error);
        });
        const forget = () => { if (this.#connection === connection) this.#connection = undefined; };
        connection.catch(forget);
        this.#connection = connection;
        return connection;
    }
}

/**
 * Makes chromium begin a new log file for this origin's databases, which it does when one is deleted. Otherwise it appends to the
 * old log. If the power failed or the browser was killed, the old log may end in half a record, which makes chromium skip later
 * records, or delete all databases (docs/reliability.md, "Power cuts"). Other browsers have no such log. Never fails. If
 * another tab blocks it for a second, the page goes on with the old log.
 */
function beginNewLog() {
    return new Promise(resolve => {
        // Not `userAgentData`, which pages over plain HTTP don't have.
        if (!/Chrom(e|ium)\//.test(navigator.userAgent)) return resolve();
        setTimeout(resolve, 1000);
        const name = 'trolley-log', request = indexedDB.open(name);
        request.onerror = resolve;
        request.onsuccess = () => {
            request.result.close();
            indexedDB.deleteDatabase(name).onsuccess = resolve;
        };
    });
}

/** @param {number} from  the version that is stored; 0: none */
function upgrade({ result: database, transaction }, from) {
    for (const [name, { keyPath, autoIncrement, indices = {} }] of Object.entries(SCHEMA)) {
        const store = database.objectStoreNames.contains(name) ? transaction.objectStore(name)
            : database.createObjectStore(name, { ...(keyPath && { keyPath }), autoIncrement });
        for (const [index, path] of Object.entries(indices)) if (!store.indexNames.contains(index)) store.createIndex(index, path);
    }
    if (from) for (const step of STEPS.slice(from - 1)) step(transaction);
}

/** By the name of the browser's error. */
const KINDS = {
    QuotaExceededError: 'full', SecurityError: 'refused', NotAllowedError: 'refused', VersionError: 'newer', InvalidStateError: 'damaged',
    UnknownError: 'damaged', AbortError: 'damaged', NotFoundError: 'damaged', DataError: 'damaged',
};

function classified(error) {
    const kind = KINDS[error?.name];
    return kind ? new StorageError(kind, error) : error;
}

/** One transaction. Each method returns a promise of its request. */
class Transaction {
    #transaction;

    constructor(transaction) { this.#transaction = transaction; }

    #on(store, index) {
        const source = this.#transaction.objectStore(store);
        return index ? source.index(index) : source;
    }

    get(store, key, index) { return settled(this.#on(store, index).get(key)); }
    all(store, range, index) { return settled(this.#on(store, index).getAll(range)); }
    first(store, range, count, index) { return settled(this.#on(store, index).getAll(range, count)); }
    keys(store, range, index) { return settled(this.#on(store, index).getAllKeys(range)); }
    count(store, range, index) { return settled(this.#on(store, index).count(range)); }
    put(store, value, key) { return settled(this.#on(store).put(value, key)); }
    delete(store, key) { return settled(this.#on(store).delete(key)); }
    clear(store) { return settled(this.#on(store).clear()); }
}

function settled(request) {
    const result = new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    // Its error aborts the transaction, also where nobody awaits it.
    result.catch(() => {});
    return result;
}
