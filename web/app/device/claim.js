// Of several tabs that have a list open, one has it open for the device: it reports presence, and is in the list's room.

export class Claim {
    isHeld = false;
    #queued = new AbortController();
    #release = null;

    /** @param {() => void} onHeld  it is this tab's turn, at once or when the other tab has ended its claim */
    constructor(list, onHeld) {
        const hold = () => new Promise(resolve => {
            this.isHeld = true;
            this.#release = resolve;
            onHeld();
        });
        // Only a secure page has locks.
        if (!navigator.locks) return void hold();
        navigator.locks.request(`trolley-list-${list}`, { signal: this.#queued.signal }, hold).catch(() => {});
    }

    end() {
        this.isHeld = false;
        this.#queued.abort();
        this.#release?.();
    }
}
