// The person's changes of the open list. They wait for the marks that are on the screen already, and can be undone.

import { keyOf } from '../device/keys.js';
// The device needs them, perhaps when there is no network any more.
import '../device/adding.js';
import '../device/undo.js';
import { t } from '../text.js';
import { painted } from './painted.js';
import { stepped } from './quantity.js';
import { announce, explain, toast, untold } from './sheet.js';
import { described } from './described.js';

export class Changes {
    #screen;
    /** Fulfilled when the marks that are on the screen are on the list. What comes after them waits. */
    #marking = null;
    /** An entry of the gesture that a message offers to undo, and what takes the message away. */
    #offer = null;

    constructor(screen) { this.#screen = screen; }

    /** @returns {Promise<string[] | null>}  the saved entries; null: nothing is saved, and the person knows why */
    async perform(drafts) {
        await this.#marking;
        return this.#perform(drafts);
    }

    async #perform(drafts) {
        const { canEdit, device, id } = this.#screen;
        if (!canEdit) {
            toast(t('list.lookOnly'));
            return null;
        }
        return device.perform(id, drafts).catch(error => {
            untold(error);
            return null;
        });
    }

    /** Adds lines. @returns how many are taken */
    async add(text) {
        await this.#marking;
        const { item, quantity } = await this.#inAnotherQuantity(text);
        if (!item) return this.#add(text);
        const { decide } = await import('./already.js');
        return decide(this.#screen, item, quantity, () => this.#add(text));
    }

    async #add(text) {
        const { device, id, rows } = this.#screen;
        const added = await device.add(id, text, list => rows.below(list.state));
        if (added.length === 1) {
            const [{ item, outcome, text: name, choice }] = added;
            // A toast is announced, too.
            (outcome === 'present' ? toast : announce)(t(`add.${outcome}`, { text: name }));
            if (choice?.because) this.#tellAisle(item, name, choice);
            rows.reveal(item);
            await this.#screen.noteAdded(item, name);
        } else if (added.length > 1) {
            const present = added.filter(({ outcome }) => outcome === 'present').length, n = added.length - present;
            const text = present ? t('add.many.some', { n, present }) : t('add.many', { n });
            if (n) this.offerUndo(text);
            else toast(text);
            rows.reveal(added.at(-1).item);
        }
        return added.length;
    }

    /** Says why a new item is in its aisle, with a way to another one. */
    #tellAisle(item, text, { aisle, reason, because }) {
        // It would take the place of the offer to undo what was done since.
        if (this.#offer) return;
        const key = reason === 'alike' ? 'alike' : keyOf(because) === keyOf(text) ? 'known' : 'because';
        toast(t(`aisle.${key}`, { text, aisle, because }), { action: t('aisle.change'), onaction: () => this.#screen.changeAisle(item) });
    }

    /** What is wanted already by the name of a line, in another quantity than the line's. */
    async #inAnotherQuantity(text) {
        const { device, id } = this.#screen, { state } = await device.open(id);
        const [line, ...others] = device.trolley.lines(text);
        if (!line?.quantity || others.length) return {};
        const same = state.items.filter(item => !item.markedOff && keyOf(item.text) === keyOf(line.text));
        return same.some(item => item.fields.quantity === line.quantity) ? {} : { item: same[0], quantity: line.quantity };
    }

    /** Marks a row off, or wants it again. A mark that has only just arrived is confirmed: the person has not seen it yet. */
    toggle(row) {
        if (!this.#screen.canEdit) return;
        const { item } = row, isConfirming = row.isMarked && this.#screen.rows.takeJustMarked(item.id);
        const markedOff = isConfirming || !row.isMarked, settle = row.mark(markedOff);
        if (isConfirming) this.#screen.presence.warnOf(item.id);
        if (markedOff) navigator.vibrate?.(8);
        // Folding and storing would delay the frame that shows the mark.
        this.#marking = Promise.all([painted(), this.#marking])
            .then(() => this.#perform([{ operation: markedOff ? 'markOff' : 'unmark', item: item.id }]))
            .then(() => settle(this.#screen.state?.items.find(({ id }) => id === item.id) ?? item));
    }

    edit(item, fields) { return this.perform([{ operation: 'edit', item, fields }]); }

    /** One more of an item. Of taps that follow each other fast, each counts. */
    more(id) {
        this.#marking = Promise.resolve(this.#marking).then(() => {
            const item = this.#screen.state?.items.find(item => item.id === id);
            return item && this.#perform([{ operation: 'edit', item: id, fields: { quantity: stepped(item.fields.quantity ?? '', 1) } }]);
        });
    }

    async remove(item) {
        const made = await this.perform([{ operation: 'delete', item: item.id }]);
        if (!made) return;
        this.#screen.show({ tidy: !this.#screen.isShopping });
        this.offerUndo(t('row.deleted', { text: item.text }), made[0]);
    }

    /** Removes what is done. */
    async clear() {
        const finished = this.#screen.state.items.filter(item => item.markedOff), n = finished.length;
        const made = await this.perform(finished.map(item => ({ operation: 'delete', item: item.id })));
        if (!made) return;
        this.#screen.show({ tidy: true });
        this.offerUndo(t('list.cleared', { n }), made[0]);
    }

    // MARK: Moving

    async move({ id: item }, after) { return after === item ? null : this.perform([{ operation: 'move', item, after }]); }

    /** Moves an item among those of its section. */
    async moveBy(item, step) {
        const { rows } = this.#screen, ids = rows.beside(item.id);
        const index = ids.indexOf(item.id), next = index + step;
        if (index < 0 || next < 0 || next >= ids.length) return;
        if (!await this.move(item, step > 0 ? ids[next] : ids[next - 1] ?? null)) return;
        announce(t('row.moved', { text: item.text, place: next + 1, n: ids.length }));
        rows.row(item.id)?.element.scrollIntoView({ block: 'nearest' });
    }

    /** Whether `moveBy` moves an item up, and down. */
    movable(item) {
        const ids = this.#screen.rows.beside(item.id), index = ids.indexOf(item.id);
        return [index > 0, index >= 0 && index < ids.length - 1];
    }

    // MARK: Undoing

    async revert(cause, { anyway = false } = {}) {
        const { canEdit, device, id, rows, state: before } = this.#screen;
        if (!canEdit) return;
        await this.#marking;
        try {
            const gesture = this.#gesture(cause), outcome = await device.revert(cause, id, { anyway });
            if (outcome === 'nothing') return toast(t(`${cause}.nothing`), { name: 'undo' });
            const { state } = this.#screen, what = described(gesture, cause, [...before.items, ...state.items]);
            if (outcome === 'passed') return toast(t('undo.passed', { what }), { name: 'undo' });
            if (outcome === 'tripIsOver') {
                return toast(t('undo.trip'), { name: 'undo', action: t('undo.anyway'), onaction: () => this.revert('undo', { anyway: true }) });
            }
            const back = cause === 'undo' ? 'redo' : 'undo';
            toast(t(`${cause}.done`, { what }), { name: 'undo', action: t(back), onaction: () => this.revert(back) });
            rows.reveal(gesture.find(({ item }) => state.items.some(({ id }) => id === item))?.item);
        } catch (error) {
            toast(explain(error), { isError: true });
        }
    }

    #gesture(cause) { return this.#screen.device.opened(this.#screen.id)?.handle.plan(cause).step?.gesture ?? []; }

    #next(cause) { return this.#screen.device.opened(this.#screen.id)?.handle.nextGesture(cause) ?? []; }

    /** Whether there is something to undo, or to redo. */
    has(cause) { return this.#next(cause).length > 0; }

    /** The entries that undoing would undo. */
    get #latest() { return this.#next('undo'); }

    /**
     * Says what was done, with a button to undo it, which goes as soon as undoing would undo something else.
     * @param {string} [entry]  one of the gesture's; without one it is the latest gesture
     */
    offerUndo(text, entry = this.#latest[0]) {
        const dismiss = toast(text, this.#latest.includes(entry) ? { action: t('undo'), onaction: () => this.revert('undo') } : {});
        this.#offer = { entry, dismiss: () => { this.#offer = null; dismiss(); } };
    }

    /** The list has changed. */
    checkOffer() { if (this.#offer && !this.#latest.includes(this.#offer.entry)) this.#offer.dismiss(); }

    /** The list is left. */
    end() { this.#offer?.dismiss(); }
}
