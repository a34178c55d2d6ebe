// When to sync: the service's hints, the network, the screen, and a timer for what these miss. There is no background sync.
//
// Hints come on a WebSocket, which also carries rooms. Where none can be opened, they come as a stream of events.

import { note } from './log.js';

/** The polling intervals in milliseconds, because a proxy may hold the stream of hints back. */
const POLL_VISIBLE = 60_000;
const POLL_HIDDEN = 300_000;
const RECONNECT_AT_MOST = 60_000;
/** The time in which a socket must open, and the pauses until another one is tried beside the stream, in milliseconds. */
const OPENS_WITHIN = 4000;
const SOCKET_AGAIN = 10_000;
const SOCKET_AGAIN_AT_MOST = 600_000;
/** The device has opened newer sockets. */
const REPLACED = 4000;
const SIGNED_OUT = 4003;

export class Hints {
    #handlers;
    #source = null;
    #socket = null;
    #lastEventID;
    #timer = null;
    #retry = null;
    #failures = 0;
    /** Sockets in a row that did not open, and when the next may be tried. */
    #socketFailures = 0;
    #socketAfter = 0;
    #isRunning = false;
    /** Whether hints were here since a stream was refused. */
    #wasOpen = false;

    /**
     * @param {{sync: (trigger: string) => void, onPresence: (list: string) => void, onSummary: () => void,
     *   onSocket: (event: object) => void}} handlers  `onSocket`: a message about a room; a hail (`hail`, with `list`); that
     *   something may have been missed (`missed`); or the socket has opened (`open`) or is closed (`lost`)
     */
    constructor(handlers) {
        this.#handlers = handlers;
        addEventListener('online', () => this.#isRunning && this.#wake('network'));
        document.addEventListener('visibilitychange', () => this.#isRunning && !document.hidden && this.#wake('push'));
        addEventListener('pageshow', event => event.persisted && this.#isRunning && this.#wake('network'));
    }

    start() {
        if (this.#isRunning) return;
        this.#isRunning = true;
        this.#connect();
        this.#poll();
    }

    stop() {
        this.#isRunning = false;
        this.#close();
        clearTimeout(this.#timer);
    }

    /** Sends a message on the socket. @returns {boolean}  whether it is open */
    say(message) {
        if (this.#socket?.readyState !== WebSocket.OPEN) return false;
        this.#socket.send(JSON.stringify(message));
        return true;
    }

    #wake(trigger) {
        this.#failures = 0;
        // After a change of networks, and when what was said doesn't leave, an open connection may be dead.
        const isAlive = this.#socket ? this.#socket.bufferedAmount === 0 : this.#source?.readyState === EventSource.OPEN;
        if (isAlive && trigger !== 'network') this.#trySocket();
        else this.#connect();
        this.#handlers.sync(trigger);
    }

    #close() {
        clearTimeout(this.#retry);
        const socket = this.#socket, source = this.#source;
        this.#socket = this.#source = null;
        source?.close();
        socket?.close();
        if (socket) this.#handlers.onSocket({ type: 'lost' });
    }

    #connect() {
        this.#close();
        if (!this.#isRunning) return;
        if (!this.#trySocket()) this.#openStream();
    }

    /** Hints are here. */
    #opened() {
        note(`hears hints by ${this.#socket ? 'the socket' : 'the stream'}`);
        // The service is back after a failure, so waiting changes need not wait longer.
        if (this.#failures > 0) this.#handlers.sync('network');
        this.#failures = 0;
        this.#wasOpen = true;
        this.#handlers.onSummary();
    }

    #heard(hint, list) {
        if (hint === 'presence') this.#handlers.onPresence(list);
        else if (hint === 'summary') this.#handlers.onSummary();
        else if (hint === 'hail') this.#handlers.onSocket({ type: 'hail', list });
        // The run that asks for the places, too.
        else this.#handlers.sync(hint === 'placed' ? 'network' : 'push');
    }

    #connectLater() {
        const ceiling = Math.min(RECONNECT_AT_MOST, 1000 * 2 ** Math.min(this.#failures++, 6));
        clearTimeout(this.#retry);
        const wait = Math.round(250 + Math.random() * ceiling);
        note(`waits ${wait} ms: no hints`);
        this.#retry = setTimeout(() => this.#connect(), wait);
    }

    // MARK: The socket

    /** Opens a socket, if it is time to, beside the stream or before it. @returns {boolean}  whether it is being opened, or open */
    #trySocket() {
        if (this.#socket) return true;
        // Without locks every tab leads, and a device may have few sockets.
        if (!navigator.locks || Date.now() < this.#socketAfter) return false;
        let isOpen = false;
        const socket = this.#socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/v1/socket`, 'trolley.v1');
        const timeout = setTimeout(() => socket.close(), OPENS_WITHIN);
        socket.onopen = () => {
            if (this.#socket !== socket) return socket.close();
            clearTimeout(timeout);
            isOpen = true;
            this.#socketFailures = 0;
            this.#source?.close();
            this.#source = null;
            this.say({ type: 'hints', ...(this.#lastEventID && { lastEventID: this.#lastEventID }) });
            this.#opened();
            this.#handlers.onSocket({ type: 'open' });
        };
        socket.onmessage = message => this.#received(JSON.parse(message.data));
        socket.onclose = event => {
            clearTimeout(timeout);
            if (this.#socket !== socket) return;
            this.#socket = null;
            if (isOpen) this.#handlers.onSocket({ type: 'lost' });
            // The answer to this call says whether the lists stay.
            if (event.code === SIGNED_OUT) this.#handlers.sync('push');
            if (!isOpen || event.code === REPLACED) this.#postponeSocket();
            if (isOpen && event.code !== REPLACED) this.#connectLater();
            else if (!this.#source) this.#openStream();
        };
        return true;
    }

    #received(message) {
        if (message.type !== 'hint') {
            // The service refuses the hints.
            if (message.type === 'refused' && !message.room) this.#socket?.close();
            else this.#handlers.onSocket(message);
            // Something may not have reached this socket. The screen asks for what is live; this is for the journal.
            if (message.type === 'missed') this.#handlers.sync('push');
            return;
        }
        this.#lastEventID = message.id;
        this.#heard(message.hint, message.list);
    }

    #postponeSocket() {
        this.#socketAfter = Date.now() + Math.min(SOCKET_AGAIN_AT_MOST, SOCKET_AGAIN * 2 ** Math.min(this.#socketFailures++, 6));
    }

    // MARK: The stream

    #openStream() {
        const source = this.#source = new EventSource('/v1/events');
        for (const hint of ['changed', 'gone', 'sync', 'presence', 'placed', 'summary']) {
            source.addEventListener(hint, event => {
                this.#lastEventID = event.lastEventId || this.#lastEventID;
                this.#heard(hint, hint === 'presence' ? JSON.parse(event.data).list : undefined);
            });
        }
        let isOpen = false;
        source.onopen = () => {
            isOpen = true;
            this.#opened();
        };
        source.onerror = () => {
            // The browser's own rule gives up for good after some answers, and retries others for ever.
            source.close();
            if (this.#source !== source || !this.#isRunning) return;
            this.#source = null;
            // A stream can't say why it is refused. A call can: the browser may have been signed out.
            if (!isOpen && this.#wasOpen) {
                this.#wasOpen = false;
                this.#handlers.sync('push');
            }
            // It was not the socket's fault alone.
            this.#socketAfter = 0;
            this.#connectLater();
        };
    }

    #poll() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#handlers.sync('timer');
            if (this.#source) this.#trySocket();
            this.#poll();
        }, document.hidden ? POLL_HIDDEN : POLL_VISIBLE);
    }
}
