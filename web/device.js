// @ts-check
// A device of Trolley for any web page: its lists show and change without a network, and stay in step with every other device. It
// is the web app's own device (app/device), without the app's screens.

import { accept, invite } from './app/device/invitations.js';
import { Device } from './app/device/device.js';
// At hand where a list is made, something is added, or a change undone: the network may be gone by then.
import './app/device/adding.js';
import './app/device/making.js';
import './app/device/undo.js';
import { call } from './app/device/transport.js';
import { Trolley } from './trolley.js';

export { CallError } from './app/device/transport.js';

/** @typedef {import('./trolley.js').UUID} UUID */
/** @typedef {import('./trolley.js').Item} Item  its `fields` are texts: `quantity`, `note`, `aisle`, and others that are kept */
/** @typedef {import('./trolley.js').ListState} ListState */
/** @typedef {import('./trolley.js').Draft} Draft */
/** @typedef {{id: UUID, name: string, email: string}} Account */
/**
 * @typedef {{id: UUID, name: string | null, colour: string | null, unread: number, isShared: boolean}} ListEntry  `unread`: the
 *   number of others' changes that the person has not seen
 */
/**
 * @typedef {{isInStep: boolean, waiting: number, refused: number, problem: string | null}} SyncState  `isInStep`: whether the last
 *   run left nothing to do; `waiting`: the number of changes that are not sent yet, as far as the run knows; `refused`: of those
 *   that the service didn't take; `problem`: the code of what keeps the device from syncing, such as 'unreachable' or 'notAuthenticated'
 */
/**
 * @typedef {{modules?: string | URL, language?: string, onOutdated?: () => void}} StartOptions  `modules`: the directory of
 *   `trolley.wasm` and `later.wasm`, with a slash at the end (beside this file); `language`: in which the person writes, such as
 *   'en' (the browser's), for the aisles of new items; `onOutdated`: another tab has signed in or out, or has the storage of a newer
 *   version, so the page has to begin again (it is reloaded)
 */
/** @typedef {{account: Account | null, lists: ListEntry[], sync: SyncState}} DeviceState */
/** @typedef {'done' | 'nothing' | 'passed' | 'tripIsOver'} Reverted  'passed': others have changed all of it since */

/** The events after which a device shows something else. */
const CHANGES = ['session', 'lists', 'list', 'progress', 'queued'];

/**
 * This browser as a device of Trolley. It keeps its lists in IndexedDB; all tabs are one device, and one of them syncs. An origin
 * has one, so a page makes one and keeps it.
 *
 * The calls go to `/v1/` of the page's own origin, because the session is a cookie that no script can read: serve the page where
 * trolleyd is, or let a proxy bring both together. A call that the service refuses throws a {@link CallError}.
 */
export class TrolleyDevice {
    #device;
    /** @type {DeviceState | null} */
    #state = null;
    /** @type {Map<UUID, ShoppingList>} */
    #lists = new Map();

    /**
     * Starts the device: it shows what is stored, and syncs from then on.
     * @param {StartOptions} [options]
     * @returns {Promise<TrolleyDevice>}
     * @throws when the browser keeps nothing (a private window of some), or the module can't be loaded
     */
    static async start(options = {}) {
        const { modules = new URL('.', import.meta.url), language = navigator.language.slice(0, 2), onOutdated = () => location.reload() } = options;
        const device = new Device(name => Trolley.load(fetch(new URL(`${name}.wasm`, modules), { credentials: 'same-origin' })), () => language);
        for (const type of ['session-elsewhere', 'superseded']) device.addEventListener(type, onOutdated);
        await device.start();
        await device.run();
        return new TrolleyDevice(device);
    }

    /** @param {Device} device  that has started */
    constructor(device) {
        this.#device = device;
        subscribed(device, CHANGES, () => { this.#state = null; });
    }

    /**
     * What a page shows of the device: the same object until it changes.
     * @returns {DeviceState}
     */
    get state() {
        const { session, rows, states, isInStep, progress, pace, refused } = this.#device;
        const isHeld = progress.type === 'waiting' || progress.type === 'blocked';
        return this.#state ??= {
            account: session && { id: session.account.id, name: session.account.name, email: session.account.email },
            lists: [...rows.values()].map(({ id, unread, share }) => ({
                id, name: states.get(id)?.name ?? null, colour: states.get(id)?.colour ?? null, unread: unread ?? 0,
                isShared: share?.participants.length > 1,
            })),
            sync: {
                isInStep, waiting: progress.queued ?? 0, refused,
                problem: isHeld ? progress.failure?.problem?.code ?? progress.failure?.reason ?? pace.lately?.[0]?.code ?? null : null,
            },
        };
    }

    /**
     * Calls `changed` after each change of `state`.
     * @param {() => void} changed
     * @returns {() => void}  ends it
     */
    subscribe(changed) { return subscribed(this.#device, CHANGES, changed); }

    /**
     * Calls `failed` when something failed that no call of the page's waits for, such as storing what a sync brought.
     * @param {(error: Error) => void} failed
     * @returns {() => void}  ends it
     */
    onTrouble(failed) { return subscribed(this.#device, ['trouble'], event => failed(event.detail.error)); }

    // MARK: The person

    /** @param {{name: string, email: string, password: string, invitation?: string}} form  `invitation`: where the operator asks for a code */
    async signUp(form) { await this.#device.signUp(form); }

    /** @param {{email: string, password: string}} form */
    async signIn(form) { await this.#device.signIn(form); }

    /**
     * The number of changes that signing out would lose, because they are not sent yet.
     * @returns {Promise<number>}
     */
    unsent() { return this.#device.unsent(); }

    /** Signs out. The lists leave the browser: look at {@link unsent} first. */
    async signOut() { await this.#device.signOut(); }

    // MARK: Lists

    /**
     * A list by its id, whether it is here or still to come.
     * @param {UUID} id
     * @returns {ShoppingList}
     */
    list(id) {
        const list = this.#lists.get(id) ?? new ShoppingList(this.#device, id);
        this.#lists.set(id, list);
        return list;
    }

    /**
     * Makes a list, without a network, too.
     * @param {string} name
     * @returns {Promise<ShoppingList>}
     */
    async makeList(name) { return this.list(await this.#device.makeList(name)); }

    /**
     * Gets onto somebody's list.
     * @param {string} link  as {@link ShoppingList.invite} makes it
     * @returns {Promise<ShoppingList>}
     */
    async join(link) { return this.list(await accept(this.#device, link.slice(link.indexOf('#') + 1))); }

    /**
     * Leaves a list, or deletes one's own for everybody.
     * @param {UUID} id
     */
    async removeList(id) { await this.#device.removeList(id); }

    /** Syncs now. The device does it by itself after each change, and when the service says that there is something new. */
    async sync() { await this.#device.sync('manual'); }

    /**
     * Any other call of the service's (`/openapi.yaml`), as this person.
     * @param {string} method
     * @param {string} path  below `/v1/`
     * @param {object} [body]
     * @returns {Promise<any>}
     */
    call(method, path, body) { return call(method, path, body); }
}

/** A list on this device. What changes it is on the screen at once and on the disk when the call returns; sending comes later. */
export class ShoppingList {
    #device;
    /** @type {UUID} */
    id;

    /**
     * A list of a device: as {@link TrolleyDevice.list} makes it.
     * @param {Device} device
     * @param {UUID} id
     */
    constructor(device, id) {
        this.#device = device;
        this.id = id;
    }

    /**
     * The list as it shows, the same object until it changes; null: not read yet, or not here.
     * @returns {ListState | null}
     */
    get state() { return this.#device.states.get(this.id) ?? null; }

    /**
     * Calls `changed` when the list has been read, and after each change of it, by whomever.
     * @param {() => void} changed
     * @returns {() => void}  ends it
     */
    subscribe(changed) {
        const end = subscribed(this.#device, ['list', 'gone'], event => event.detail.list === this.id && changed());
        // A list that is still to come is opened when it is here.
        this.#device.open(this.id).catch(() => {});
        return end;
    }

    /**
     * Adds items, one a line: '2 l milk' has a quantity, and what is wanted already isn't doubled.
     * @param {string} text
     * @returns {Promise<{item: UUID, text: string, outcome: 'added' | 'back' | 'present'}[]>}  for each line; 'back': it was marked off
     */
    add(text) { return this.#device.add(this.id, text); }

    /** @param {UUID} item */
    async markOff(item) { await this.perform([{ operation: 'markOff', item }]); }

    /**
     * Wants a marked-off item again.
     * @param {UUID} item
     */
    async unmark(item) { await this.perform([{ operation: 'unmark', item }]); }

    /**
     * @param {UUID} item
     * @param {{[name: string]: string | null}} fields  `text`, `quantity`, `note`, `aisle`; null removes one
     */
    async edit(item, fields) { await this.perform([{ operation: 'edit', item, fields }]); }

    /**
     * @param {UUID} item
     * @param {UUID | null} after  the item above; null: the list's start
     */
    async move(item, after) { await this.perform([{ operation: 'move', item, after }]); }

    /** @param {UUID} item */
    async remove(item) { await this.perform([{ operation: 'delete', item }]); }

    /** @param {string} name */
    async rename(name) { await this.perform([{ operation: 'renameList', fields: { text: name } }]); }

    /**
     * Undoes the last gesture on this device that is not undone.
     * @returns {Promise<Reverted>}
     */
    undo() { return this.#device.revert('undo', this.id); }

    /** @returns {Promise<Reverted>} */
    redo() { return this.#device.revert('redo', this.id); }

    /**
     * Makes any other change: one gesture, which one undo takes back.
     * @param {Draft[]} drafts  `operation` and fields as in docs/journal.md
     * @returns {Promise<UUID[]>}  the entries' ids
     */
    perform(drafts) { return this.#device.perform(this.id, drafts); }

    /**
     * What a person may be about to add.
     * @param {string} prefix  what is typed so far
     * @returns {Promise<{text: string, quantity: string | null}[]>}
     */
    suggestions(prefix, limit = 10) { return this.#device.suggestions(this.id, prefix, limit); }

    /**
     * Makes a link that gets whoever has it onto the list.
     * @param {{permission?: 'readWrite' | 'readOnly', email?: string, uses?: number}} [options]  `email`: only who has this address;
     *   `uses`: how many people may use the link, otherwise one
     * @returns {Promise<string>}
     */
    invite(options) { return invite(this.id, options); }
}

/**
 * @param {EventTarget} target
 * @param {string[]} types
 * @param {(event: any) => void} listener
 */
function subscribed(target, types, listener) {
    for (const type of types) target.addEventListener(type, listener);
    return () => {
        for (const type of types) target.removeEventListener(type, listener);
    };
}
