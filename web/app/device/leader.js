// One of several tabs syncs: the leader. It holds a Web Lock, which the browser passes on when the tab closes. A frozen tab keeps
// its lock and does nothing, so a visible tab asks from time to time whether the leader is alive, and takes the lock if no answer
// comes.

const LOCK = 'trolley-leader';
const CHANNEL = 'trolley';
/** The interval at which a visible tab asks, and its time-out for the answer, in milliseconds. */
const ASK_EVERY = 5000;
const ANSWER_WITHIN = 2000;

export class Leader {
    isLeading = false;
    #channel = globalThis.BroadcastChannel ? new BroadcastChannel(CHANNEL) : null;
    #onMessage;
    #onLead;
    #onStepDown;
    #answered = null;
    #queued = null;
    #release = null;

    /**
     * @param {{onLead: () => void, onStepDown: () => void, onMessage: (message: object) => void}} handlers
     */
    constructor({ onLead, onStepDown, onMessage }) {
        this.#onLead = onLead;
        this.#onStepDown = onStepDown;
        this.#onMessage = onMessage;
        if (this.#channel) this.#channel.onmessage = event => this.#receive(event.data);
    }

    start() {
        // Only a secure page has locks. Without them every tab leads; ids make double work harmless.
        if (!navigator.locks) return this.#lead();
        this.#queue();
        setInterval(() => this.check(), ASK_EVERY);
        document.addEventListener('visibilitychange', () => this.check());
        // WebKitGTK never finishes loading a page whose predecessor in the tab held a lock until it went. And a page that the
        // browser keeps for 'back' leads nobody.
        addEventListener('pagehide', () => this.#leave());
        addEventListener('pageshow', event => event.persisted && this.#queue());
    }

    /** Sends a message to the other tabs. */
    tell(message) { this.#channel?.postMessage(message); }

    /** Asks whether the leader is alive, and replaces it if it isn't. */
    async check() {
        if (this.isLeading || document.hidden || this.#answered || !navigator.locks) return;
        const isAlive = await new Promise(resolve => {
            this.#answered = () => resolve(true);
            setTimeout(() => resolve(false), ANSWER_WITHIN);
            this.tell({ type: 'alive?' });
        });
        this.#answered = null;
        if (!isAlive && !this.isLeading && !document.hidden) this.#steal();
    }

    /** Queues for the lock. */
    #queue() {
        const queued = this.#queued = new AbortController();
        navigator.locks.request(LOCK, { signal: queued.signal }, () => this.#hold()).catch(() => {
            if (!queued.signal.aborted) this.#lost();
        });
    }

    #steal() {
        this.#queued?.abort();
        navigator.locks.request(LOCK, { steal: true }, () => this.#hold()).catch(() => this.#lost());
    }

    /** Leads until the page goes or the lock is taken away. */
    #hold() {
        this.#queued = null;
        this.#lead();
        return new Promise(resolve => { this.#release = resolve; });
    }

    #leave() {
        this.#queued?.abort();
        this.#stepDown();
        this.#release?.();
    }

    /** Another tab has taken over, while this one was frozen. */
    #lost() {
        this.#stepDown();
        this.#queue();
    }

    #lead() {
        if (this.isLeading) return;
        this.isLeading = true;
        this.#onLead();
    }

    #stepDown() {
        if (!this.isLeading) return;
        this.isLeading = false;
        this.#onStepDown();
    }

    #receive(message) {
        switch (message?.type) {
        case 'alive?':
            if (this.isLeading) this.tell({ type: 'alive' });
            break;
        case 'alive': this.#answered?.(); break;
        default: this.#onMessage(message);
        }
    }
}
