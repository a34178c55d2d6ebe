// IndexedDB, as promises. Storage can fail in ways that a page has to survive: the connection is closed under it, the disk is
// full, the browser has evicted or damaged the data, or another tab has a newer version of the app.

const NAME = 'trolley';
const VERSION = 1;

/** Stores, their key paths, and their indices. Every key but those of `meta` begins with the list. */
const SCHEMA = {
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
    /** Called when another tab needs a newer version of the database: this tab can't go on. */
    onSuperseded = () => {};

    /**
     * Runs `work` in one transaction, and returns its result after the commit. A lost connection is opened again,
     * once.
     * @param {string[]} stores
     * @param {'readonly' | 'readwrite'} mode
     * @param {(transaction: Transaction) => Promise<any>} work  awaits only promises of the transaction
     * @param {'strict' | 'relaxed'} [durability]  strict: a saved change is on the disk
     */
    async transaction(stores, mode, work, durability = 'strict') {
        for (let attempt = 1; ; attempt++) {
            try {
                return await this.#attempt(await this.#open(), stores, mode, work, durability);
            } catch (error) {
                // The browser has closed the connection, or its files are gone.
                const isLost = ['InvalidStateError', 'UnknownError', 'AbortError', 'NotFoundError'].includes(error?.name);
                if (!isLost || attempt > 1) throw classified(error);
                this.close();
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
            // Other tabs close their connections when they get the event.
            request.onblocked = () => {};
        });
    }

    #attempt(database, stores, mode, work, durability) {
        return new Promise((resolve, reject) => {
            const options = mode === 'readwrite' ? { durability } : {};
            const transaction = database.transaction(stores, mode, options);
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
        this.#connection ??= new Promise((resolve, reject) => {
            if (!globalThis.indexedDB) return reject(new StorageError('refused'));
            const request = indexedDB.open(NAME, VERSION);
            request.onupgradeneeded = () => upgrade(request.result);
            request.onsuccess = () => {
                const database = request.result;
                database.onclose = () => { this.#connection = undefined; };
                database.onversionchange = event => {
                    database.close();
                    this.#connection = undefined;
                    if (event.newVersion) this.onSuperseded();
                };
                resolve(database);
            };
            // A private window of Firefox refuses storage so.
            request.onerror = () => reject(request.error?.name === 'InvalidStateError'
                ? new StorageError('refused', request.error) : request.error);
        });
        this.#connection.catch(() => { this.#connection = undefined; });
        return this.#connection;
    }
}

function upgrade(database) {
    for (const [name, { keyPath, autoIncrement, indices = {} }] of Object.entries(SCHEMA)) {
        const store = database.createObjectStore(name, { ...(keyPath && { keyPath }), autoIncrement });
        for (const [index, path] of Object.entries(indices)) store.createIndex(index, path);
    }
}

function classified(error) {
    if (error instanceof StorageError) return error;
    switch (error?.name) {
    case 'QuotaExceededError': return new StorageError('full', error);
    case 'SecurityError': case 'NotAllowedError': return new StorageError('refused', error);
    case 'VersionError': return new StorageError('newer', error);
    case 'InvalidStateError': case 'UnknownError': case 'AbortError': case 'NotFoundError': case 'DataError':
        return new StorageError('damaged', error);
    default: return error;
    }
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
