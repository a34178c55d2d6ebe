// Keeps rows in their places while something above them appears, grows or goes.

export class Anchor {
    #scroller;
    #content;
    /** Where the scroller began on the screen last, and the room above the content. */
    #top = null;
    #room = 0;

    /** @param {() => boolean} isHolding  otherwise the rows may move */
    constructor(scroller, content, isHolding, signal) {
        this.#scroller = scroller;
        this.#content = content;
        // Called between layout and painting.
        const observer = new ResizeObserver(() => this.#hold(isHolding()));
        observer.observe(scroller);
        signal.addEventListener('abort', () => observer.disconnect());
    }

    toTop() {
        ({ top: this.#top } = this.#scroller.getBoundingClientRect());
        this.#give(0);
        this.#scroller.scrollTop = 0;
    }

    #hold(isHolding) {
        const { top } = this.#scroller.getBoundingClientRect(), moved = top - (this.#top ?? top);
        this.#top = top;
        if (!moved || !isHolding) return;
        const scrolled = this.#scroller.scrollTop - this.#room + moved;
        this.#give(Math.max(0, -scrolled));
        this.#scroller.scrollTop = scrolled + this.#room;
    }

    #give(room) {
        this.#room = room;
        this.#content.style.setProperty('--room', `${room}px`);
    }
}
