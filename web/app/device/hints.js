// When to sync: the service's hints, the network, the screen, and a timer for what these miss. There is no background sync.

/** The polling intervals in milliseconds, because a proxy may hold the stream of hints back. */
const POLL_VISIBLE = 60_000;
const POLL_HIDDEN = 300_000;
const RECONNECT_AT_MOST = 60_000;

export class Hints {
    #sync;
    #onPresence;
    #onSummary;
    #source = null;
    #timer = null;
    #retry = null;
    #failures = 0;
    #isRunning = false;

    /** @param {{sync: (trigger: string) => void, onPresence: (list: string) => void, onSummary: () => void}} handlers */
    constructor({ sync, onPresence, onSummary }) {
        this.#sync = sync;
        this.#onPresence = onPresence;
        this.#onSummary = onSummary;
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
        this.#source?.close();
        this.#source = null;
        clearTimeout(this.#timer);
        clearTimeout(this.#retry);
    }

    #wake(trigger) {
        this.#failures = 0;
        if (!this.#source || this.#source.readyState !== EventSource.OPEN) this.#connect();
        this.#sync(trigger);
    }

    #connect() {
        clearTimeout(this.#retry);
        this.#source?.close();
        if (!this.#isRunning) return;
        const source = this.#source = new EventSource('/v1/events');
        for (const type of ['changed', 'gone', 'sync']) source.addEventListener(type, () => this.#sync('push'));
        source.addEventListener('presence', event => this.#onPresence(JSON.parse(event.data).list));
        source.addEventListener('summary', () => this.#onSummary());
        source.onopen = () => {
            // The service is back after a failure, so waiting changes need not wait longer.
            if (this.#failures > 0) this.#sync('network');
            this.#failures = 0;
            this.#onSummary();
        };
        source.onerror = () => {
            // The browser's own rule gives up for good after some answers, and retries others for ever.
            source.close();
            if (this.#source !== source || !this.#isRunning) return;
            const ceiling = Math.min(RECONNECT_AT_MOST, 1000 * 2 ** Math.min(this.#failures++, 6));
            this.#retry = setTimeout(() => this.#connect(), 250 + Math.random() * ceiling);
        };
    }

    #poll() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#sync('timer');
            this.#poll();
        }, document.hidden ? POLL_HIDDEN : POLL_VISIBLE);
    }
}
