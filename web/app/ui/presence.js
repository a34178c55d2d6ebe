// Who is on the list and has it open, and this tab's part in that: it reports that the list is open here, and meets the others in
// the list's room.

import { Claim } from '../device/claim.js';
import { makeHailKey } from '../device/hail-key.js';
import { inOrder } from '../device/in-order.js';
import { call } from '../device/transport.js';
import { fill, h, icon, set } from '../dom.js';
import { names, t } from '../text.js';
import { face, nameOf, others, personOn } from './people.js';
import { toast } from './sheet.js';

/** Milliseconds for which what the service has said of the others counts. The page asks more often. */
const PRESENT_FOR = 45_000;
/** The interval of reports, in milliseconds. The service takes each for a minute. */
const REPORT_EVERY = 30_000;
/** Milliseconds in which the person is told only once that somebody else marks off the same item. */
const WARN_EVERY = 120_000;
/** Entries among which a mark is that has just arrived. */
const LOOK_BACK = 100;

export class Presence {
    faces;
    /** What the others in the room do. */
    line = h('p.live', { hidden: true, dir: 'auto' });
    #screen;
    /** The accounts that have the list open, and how far each has read it. */
    #present = new Set();
    #reads = new Map();
    #expiry = null;
    #looking = inOrder();
    /** Whether this of the device's tabs has the list open for all of them, and the key with which it does. */
    #claim = null;
    #key = null;
    #timer = null;
    /** This tab's reports that the list is open, which the service has not answered yet. */
    #reports = new Set();
    #reporting = inOrder();
    /** How many people the list had at the last report. */
    #people = 0;
    /** The list's room, while somebody else has the list open. */
    #entering = null;
    #live = null;
    #lookedAt = null;
    /** When the person was told that somebody else marks off the same item. */
    #warnedAt = new Map();

    /** @param {() => void} share  opens the sheet with the people */
    constructor(screen, share, signal) {
        this.#screen = screen;
        this.faces = h('button.faces', { onclick: share });
        const on = (type, handle) => screen.device.addEventListener(type, ({ detail }) => handle(detail), { signal });
        on('presence', ({ list }) => list === screen.id && !document.hidden && this.#report());
        on('socket', ({ type }) => (type === 'missed' ? !document.hidden : type === 'open' && this.#live) && this.#report());
        on('double-buy', ({ list, by, items }) => list === screen.id && this.#warn(by, items, 'doubleBuy'));
        addEventListener('pagehide', () => this.#withdraw(), { signal });
        signal.addEventListener('abort', () => clearTimeout(this.#expiry));
    }

    // MARK: Showing

    show() {
        this.#showFaces();
        // Somebody joined or left, or the share has only just arrived: until then nobody could be told, or asked.
        if (this.#timer && this.#people !== peopleOn(this.#screen.row)) this.#report();
    }

    #showFaces() {
        const { account, row } = this.#screen, people = others(row, account);
        const label = people.length ? t('people.on', { n: people.length }) : t('share');
        set(this.faces, { 'aria-label': label, title: label });
        const shown = people.slice(0, 4).map(person => face(person, {
            isHere: this.#present.has(person.account), hasSeen: (this.#reads.get(person.account) ?? -1) >= row.through,
        }));
        fill(this.faces, shown, people.length > 4 && h('span.face.more', {}, `+${people.length - 4}`), !people.length && icon('share'));
    }

    /** The presence and the read marks of the other people. */
    async #look() {
        const { id, row } = this.#screen;
        if (!navigator.onLine || !row?.share) return;
        const isNews = this.#looking();
        try {
            const { presence = [], reads = [] } = await call('GET', `lists/${id}/share`);
            if (!isNews()) return;
            this.#present = new Set(presence.map(({ account }) => account));
            this.#reads = new Map(reads.map(({ account, through }) => [account, through]));
            this.#showFaces();
            clearTimeout(this.#expiry);
            this.#expiry = setTimeout(() => { this.#present.clear(); this.#showFaces(); }, PRESENT_FOR);
        } catch { /* The same, for a while. */ }
    }

    // MARK: Reporting

    /** The list is on the screen. */
    begin() {
        if (!this.#claim) {
            this.#key = makeHailKey();
            this.#claim = new Claim(this.#screen.id, () => this.#report());
            this.#look();
        }
        clearInterval(this.#timer);
        this.#timer = setInterval(() => this.#report(), REPORT_EVERY);
    }

    /** It isn't any more. */
    end() {
        this.#withdraw();
        clearInterval(this.#timer);
        this.#timer = null;
    }

    get #isPublic() {
        const { device, row } = this.#screen;
        return navigator.onLine && device.session && row?.published && !row.local && row.share;
    }

    /** Reports that the list is open here, and meets the others who have it open. */
    async #report() {
        this.#people = peopleOn(this.#screen.row);
        if (!this.#isPublic) return;
        const claim = this.#claim;
        try {
            const key = await this.#key;
            if (claim?.isHeld) {
                const isNews = this.#reporting();
                const report = this.#tell(key ? { hailKey: key.text } : {});
                this.#reports.add(report);
                const answer = await report.finally(() => this.#reports.delete(report));
                if (isNews() && key && claim === this.#claim) this.#enter(answer, key, claim);
            }
            await this.#look();
        } catch { /* Nobody sees it, that is all. */ }
    }

    #tell(presence, options) { return call('PUT', `lists/${this.#screen.id}/presence`, presence, options); }

    /** The list is no longer open here. */
    async #withdraw() {
        const claim = this.#claim, isOpen = claim?.isHeld;
        this.#claim = this.#entering = null;
        this.#live?.stop();
        this.#live = null;
        if (isOpen && this.#isPublic) {
            const leave = () => this.#tell({ present: false }, { keepalive: true }).catch(() => {});
            const underWay = [...this.#reports];
            await leave();
            // The service may have got a report after that. The others would wait for its end until they are told what was done here.
            if (underWay.length) {
                await Promise.allSettled(underWay);
                await leave();
            }
        }
        // Another tab reports its presence only now.
        claim?.end();
    }

    // MARK: The room

    /** Enters the list's room. Without one, everything comes by the journal. */
    async #enter(answer, key, claim) {
        const { account: me, device } = this.#screen;
        const isAlone = !answer.devices?.some(({ account }) => account !== me);
        if (isAlone && !this.#live) return;
        try {
            this.#entering ??= Promise.all([import('./live.js'), device.later()]);
            const [{ Live }, trolley] = await this.#entering;
            if (claim !== this.#claim) return;
            this.#live ??= new Live(this.#screen, this.line, {
                device, key, trolley, onTentative: () => this.#screen.show(),
                onDoubleBuy: (by, items) => this.#warn(by, items, 'live.doubleBuy'),
                // The next report enters again.
                onLost: () => { this.#live = null; },
            });
            // It counts for a minute.
            this.look(this.#lookedAt);
            await this.#live.room.presence(answer);
        } catch (error) {
            this.#entering = null;
            console.info('without a room:', error);
        }
    }

    /** Others' changes that are not on the list yet, by item. */
    get tentative() { return this.#live?.tentative; }

    /** The list has changed. */
    showLive() { this.#live?.show(); }

    /** Tells the others that the person looks at an item. */
    look(item = null) {
        this.#lookedAt = item;
        this.#live?.room.look(item);
    }

    /** Tells the others that the person types. */
    type(item = null) { this.#live?.room.type(item); }

    /** The person has marked off an item just when somebody else's mark arrived. */
    async warnOf(item) {
        const { account, device, id } = this.#screen, entries = await device.store.latest(id, LOOK_BACK).catch(() => []);
        const mark = entries.findLast(entry => entry.item === item && entry.operation === 'markOff');
        if (mark && mark.author !== account) this.#warn(mark.author, [item], 'doubleBuy');
    }

    /** Somebody else marks off the same items at nearly the same time. */
    #warn(by, items, key) {
        const now = performance.now(), { row, state } = this.#screen;
        const news = items.filter(item => !(now < this.#warnedAt.get(`${by} ${item}`) + WARN_EVERY));
        const texts = news.map(item => state.items.find(other => other.id === item)?.text).filter(Boolean);
        if (!texts.length) return;
        for (const item of news) this.#warnedAt.set(`${by} ${item}`, now);
        toast(t(key, { name: nameOf(personOn(row, by) ?? {}), text: names(texts.slice(0, 5)) }), { name: 'double-buy' });
    }
}

const peopleOn = row => row?.share?.participants.length ?? 0;
