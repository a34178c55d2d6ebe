// A list's room, in the tab that has the list open: the module's RoomMachine decides, and this code acts. The leading tab has the
// socket. Whatever fails, the list goes on by the journal, and the next report of presence tries again.

import { base64url, fromBase64url, utf8 } from './bytes.js';
import { open, seal } from './hpke.js';
import { hailContext, roomKeys } from './room-keys.js';
import { call } from './transport.js';

const NOBODY = { phase: 'idle', room: null, members: [], looking: [], typing: [], tentative: [], awaited: [], until: null };

export class Room {
    /** What the others do, as `RoomMachine.after` describes. */
    view = NOBODY;
    #device;
    #list;
    #me;
    #key;
    #machine;
    #onView;
    #onDoubleBuy;
    #keys = null;
    /** The service's clock minus this page's, in milliseconds. */
    #offset = 0;
    /** Sealing and opening take a moment, and messages must keep their order. */
    #sent = Promise.resolve();
    #heard = Promise.resolve();
    #expiry = null;
    #isNoting = false;
    #isStale = false;
    #isStopped = false;

    /**
     * @param {Device} device
     * @param {string} list
     * @param {{privateKey: CryptoKey, publicKey: Uint8Array}} key  for hails, as it was told with this device's presence
     * @param {Trolley} trolley  with the calls for rooms
     * @param {{onView: () => void, onDoubleBuy: (item: string, by: string) => void}} handlers
     */
    constructor(device, list, key, trolley, { onView, onDoubleBuy }) {
        this.#device = device;
        this.#list = list;
        this.#me = { account: device.session.account.id, device: device.session.device.id };
        this.#key = key;
        this.#machine = trolley.openRoom(this.#me.account, this.#me.device);
        this.#onView = onView;
        this.#onDoubleBuy = onDoubleBuy;
    }

    get #isLive() { return this.view.phase === 'live'; }
    get #time() { return performance.now() + this.#offset; }

    // MARK: What happens

    /** The service has answered to this device's presence. */
    async presence({ devices = [], now }) {
        this.#offset = Date.parse(now) - performance.now();
        this.#note({ type: 'presence', devices });
        if (this.view.phase === 'idle' && devices.some(other => other.account !== this.#me.account)) await this.#readHails();
    }

    /** A message of the service, on the device's socket. */
    hear(event) {
        if (event.type === 'hail') {
            if (event.list === this.#list) this.#readHails();
            return;
        }
        this.#heard = this.#heard.then(async () => {
            if (event.type === 'open' || event.type === 'lost') return this.#note({ type: 'lost' });
            // Of another list's room.
            if (event.list !== this.#list || event.room !== this.view.room) return;
            this.#note(event.type === 'said' ? { ...event, frame: await this.#keys.open(event.body, event) } : event);
        }).catch(() => { /* It was not sealed in this room. */ });
    }

    look(item) { this.#note({ type: 'look', item }); }

    type(item) { this.#note({ type: 'type', item }); }

    /** The upload queue or the journal may have changed: tells the others what waits. */
    async noteJournal() {
        if (!this.#isLive) return;
        this.#isStale = true;
        if (this.#isNoting) return;
        this.#isNoting = true;
        try {
            while (this.#isStale && this.#isLive) {
                this.#isStale = false;
                const changes = await this.#device.store.waitingAndArrived(
                    this.#list, this.view.awaited, this.view.maximumTentative + 1);
                // What has arrived and is not shown yet, stays tentative until it is: then this is called again.
                if (!this.#device.unfolded.has(this.#list)) this.#note({ type: 'journal', ...changes });
            }
        } catch { /* The device tells of broken storage. */ }
        this.#isNoting = false;
    }

    stop() {
        if (this.#isStopped) return;
        this.#note({ type: 'stop' });
        this.#isStopped = true;
        clearTimeout(this.#expiry);
        this.#machine.close();
    }

    /** The module has trapped, and the room's machine has gone. */
    lose() {
        this.#isStopped = true;
        clearTimeout(this.#expiry);
        this.view = NOBODY;
        if (this.#keys) this.#act({ type: 'disconnect', room: this.#keys.room });
    }

    #note(event) {
        if (this.#isStopped) return;
        const wasLive = this.#isLive;
        const { actions, ...view } = this.#machine.after(event, new Date(this.#time).toISOString());
        this.view = view;
        for (const action of actions) this.#act(action);
        clearTimeout(this.#expiry);
        if (view.until) {
            this.#expiry = setTimeout(() => this.#note({ type: 'tick' }), Math.max(0, Date.parse(view.until) - this.#time) + 1);
        }
        // What somebody has said may have arrived before.
        if (this.#isLive && (!wasLive || event.frame?.frame === 'tentative')) this.noteJournal();
        this.#onView();
    }

    // MARK: Acting

    #act(action) {
        switch (action.type) {
        case 'makeRoom': this.#makeRoom(action); break;
        case 'hail': this.#hail(action).catch(() => {}); break;
        case 'deleteHail': call('DELETE', `lists/${this.#list}/hails/${action.hail}`).catch(() => {}); break;
        case 'fetch': this.#device.sync('push'); break;
        case 'doubleBuy': this.#onDoubleBuy(action.item, action.by); break;
        default: this.#sent = this.#sent.then(() => this.#send(action)).catch(() => {});
        }
    }

    async #send({ type, room, credentials, frame }) {
        if (type === 'connect') {
            this.#keys = await roomKeys(credentials);
            this.#device.tabs.say(await this.#keys.join(this.#list, this.#me, Math.round(this.#time)));
        } else if (type === 'disconnect') {
            this.#device.tabs.say({ type: 'leave', room, list: this.#list });
        } else if (room === this.#keys?.room) {
            this.#device.tabs.say({ type: 'say', room, list: this.#list, body: await this.#keys.seal(frame, this.#me) });
        }
    }

    async #makeRoom(action) {
        try {
            const { expiresAt } = await this.#hail(action);
            this.#note({ type: 'made', expiresAt });
        } catch {
            this.#note({ type: 'makingFailed' });
        }
    }

    async #hail({ credentials, hailing }) {
        const text = utf8(JSON.stringify(credentials)), hails = [];
        for (const { device, hailKey } of hailing) {
            try {
                const info = hailContext(this.#list, credentials.roomID, this.#me, device);
                hails.push({ to: device, sealed: base64url(await seal(fromBase64url(hailKey), info, text)) });
            } catch { /* The key is none. */ }
        }
        const { handshakeKey } = await roomKeys(credentials);
        return call('POST', `lists/${this.#list}/hails`, { room: credentials.roomID, key: handshakeKey, hails });
    }

    async #readHails() {
        try {
            const { hails } = await call('GET', `lists/${this.#list}/hails`);
            for (const { id, room, author: account, device, sealed } of hails) {
                let credentials = null;
                try {
                    const info = hailContext(this.#list, room, { account, device }, this.#me.device);
                    credentials = new TextDecoder().decode(await open(this.#key, info, fromBase64url(sealed)));
                } catch { /* It was sealed for an earlier key. */ }
                this.#note({ type: 'hail', id, room, account, device, credentials });
            }
        } catch { /* The next report of presence reads them. */ }
    }
}
