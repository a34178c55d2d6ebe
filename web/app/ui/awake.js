// Keeps the screen on.

export class Awake {
    #lock = null;

    begin() {
        if (this.#lock || !navigator.wakeLock) return;
        // A promise: the list may be left while it is asked for.
        const lock = this.#lock = navigator.wakeLock.request('screen');
        const forget = () => { if (this.#lock === lock) this.#lock = null; };
        // Refused: the battery is low, or the browser won't.
        lock.then(sentinel => sentinel.addEventListener('release', forget), forget);
    }

    end() {
        this.#lock?.then(sentinel => sentinel.release(), () => {});
        this.#lock = null;
    }
}
