// What the others on a list do right now: a line at the bottom, and changes that are on their way, greyed in their places. Loaded
// when somebody else has the list open.

import { Room } from '../device/room.js';
import { fill } from '../dom.js';
import { t } from '../text.js';
import { nameOf, personOn } from './people.js';
import { announce } from './sheet.js';

/** Screen readers hear who is looking or typing at most once in this time, in milliseconds. */
const ANNOUNCE_EVERY = 30_000;

export class Live {
    /** Changes that are not on the list yet, by item. */
    tentative = new Map();
    #screen;
    #line;
    #room;
    #announcedAt = -Infinity;
    #stop = new AbortController();

    /**
     * @param {ListScreen} screen
     * @param {HTMLElement} line
     * @param {{device: Device, key: object, trolley: Trolley, onTentative: () => void, onDoubleBuy: (by: string, items: string[]) => void,
     *   onLost: () => void}} values  `onLost`: the room is over, because the module has trapped
     */
    constructor(screen, line, { device, key, trolley, onTentative, onDoubleBuy, onLost }) {
        this.#screen = screen;
        this.#line = line;
        this.#room = new Room(device, screen.id, key, trolley, {
            onView: () => {
                const before = JSON.stringify([...this.tentative.values()]);
                const { room } = this;
                this.tentative = new Map(room.view.tentative.map(change => [change.item, { ...change, person: this.#person(change.account) }]));
                if (JSON.stringify([...this.tentative.values()]) !== before) onTentative();
                this.show();
            },
            onDoubleBuy: (item, by) => onDoubleBuy(by, [item]),
        });
        const { signal } = this.#stop;
        const note = event => event.detail.list === screen.id && this.#room.noteJournal();
        device.addEventListener('socket', event => this.#room.hear(event.detail), { signal });
        device.addEventListener('queued', note, { signal });
        device.addEventListener('list', note, { signal });
        device.addEventListener('trapped', ({ detail }) => {
            if (detail.module !== 'later') return;
            this.#room.lose();
            this.stop();
            onLost();
        }, { signal });
    }

    get room() { return this.#room; }

    stop() {
        this.#stop.abort();
        this.#room.stop();
        this.tentative = new Map();
        this.show();
    }

    /** Shows what the others do. */
    show() {
        const { phase, looking, typing, tentative } = this.#room.view;
        this.#line.parentElement.dataset.room = phase;
        const said = new Map();
        for (const { account, item } of typing) {
            if (this.#isOther(account)) said.set(account, item ? ['typingIn', item] : ['typing']);
        }
        // In shopping mode new items have no rows yet.
        for (const { account, item, isAdded, text } of this.#screen.isShopping ? tentative : []) {
            if (isAdded && this.#isOther(account)) said.set(account, ['adding', item, text]);
        }
        for (const { account, item } of looking) {
            if (item && this.#isOther(account) && !said.has(account) && this.#text(item)) said.set(account, ['looking', item]);
        }
        const lines = [...said].map(([account, [what, item, text]]) =>
            t(`live.${what}`, { name: nameOf(this.#person(account)), text: text ?? this.#text(item) ?? '' }));
        this.#line.hidden = !lines.length;
        fill(this.#line, lines.join(' · '));
        if (lines.length && performance.now() > this.#announcedAt + ANNOUNCE_EVERY) {
            this.#announcedAt = performance.now();
            announce(lines.join('. '));
        }
    }

    #isOther(account) { return account !== this.#screen.account; }

    #person(account) { return personOn(this.#screen.row, account) ?? { account }; }

    #text(item) { return this.#screen.state?.items.find(other => other.id === item)?.text; }
}
