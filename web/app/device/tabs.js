// The device's tabs. The leading one syncs and hears the service; the others tell it what to do, and hear from it what has happened.

import { Hints } from './hints.js';
import { Leader } from './leader.js';
import { note } from './log.js';

export class Tabs {
    #device;
    #leader;
    #hints;

    constructor(device) {
        this.#device = device;
        this.#leader = new Leader({
            onLead: () => this.#lead(), onStepDown: () => this.#stepDown(), onMessage: message => this.#hear(message),
        });
        this.#hints = new Hints({
            sync: trigger => device.sync(trigger),
            onPresence: list => this.emit('presence', { list }),
            onSummary: () => device.summaries.load().catch(() => { /* The next event brings them. */ }),
            onSocket: event => this.#emitSocket(event),
        });
        document.addEventListener('visibilitychange', () => {
            if (document.hidden) return;
            if (this.isLeading) device.runs.takeAhead();
            // The leading tab may be hidden.
            else device.sync('push');
        });
    }

    get isLeading() { return this.#leader.isLeading; }

    start() {
        this.#leader.start();
        this.tell({ type: 'progress?' });
    }

    /** Sends a message to the other tabs. */
    tell(message) { this.#leader.tell(message); }

    /** Emits an event in all tabs. */
    emit(type, detail) {
        this.#device.emit(type, detail);
        this.tell({ type, ...detail });
    }

    /** Lets the leading tab sync. */
    sync(trigger) {
        this.tell({ type: 'sync', trigger });
        this.#leader.check();
    }

    /** Sends a message about a room on the device's socket, which the leading tab has. */
    say(message) {
        if (!this.isLeading) this.tell({ type: 'say', message });
        else if (!this.#hints.say(message) && message.type === 'join') this.#emitSocket({ type: 'lost' });
    }

    /** Somebody has signed in. */
    listen() { if (this.isLeading && !this.#device.isAlone) this.#hints.start(); }

    /** The session is over. */
    hush() { this.#hints.stop(); }

    #emitSocket(event) {
        this.#device.emit('socket', event);
        this.tell({ type: 'socket', event });
    }

    #lead() {
        note('leads');
        if (!this.#device.session || this.#device.isAlone) return;
        this.#hints.start();
        this.#device.sync('launch');
        // A browser that is used stays signed in.
        this.#device.refreshAccount().catch(() => {});
    }

    /** Another tab has taken over while this one stood still, and may have told it things that it never heard. */
    #stepDown() {
        note('leads no more');
        this.#hints.stop();
        this.#device.lists.reloadAll();
    }

    async #hear(message) {
        const device = this.#device;
        switch (message?.type) {
        case 'sync':
            if (this.isLeading) device.sync(message.trigger);
            break;
        case 'list':
            if (device.trolley) await device.lists.reload(message.list, { afresh: true }).catch(error => device.noteTrouble(error));
            break;
        case 'progress': device.runs.show(message.progress, message.pace); break;
        case 'progress?':
            if (this.isLeading) this.tell({ type: 'progress', progress: device.progress, pace: device.pace });
            break;
        case 'refused': device.runs.showRefused(message.count); break;
        case 'summaries': device.summaries.show(message.summaries); break;
        case 'moved': case 'presence': case 'double-buy': case 'conflict': device.emit(message.type, message); break;
        case 'socket': device.emit('socket', message.event); break;
        case 'say':
            if (this.isLeading) this.say(message.message);
            break;
        case 'session': device.emit('session-elsewhere'); break;
        }
    }
}
