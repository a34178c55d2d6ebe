// Undo and redo of this device's gestures.

/** A pause of this length ends a trip. */
const TRIP_PAUSE = 45 * 60_000;
/** When an id was made (RFC 9562 §5.7). */
export const madeAt = id => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * Undoes or redoes the last gesture on this device.
 * @returns {Promise<'done' | 'nothing' | 'passed' | 'tripIsOver'>}  'passed': others have changed all of it since; 'tripIsOver':
 *   it marked something off on a trip that is over, and is undone only `anyway`
 */
export async function revert(device, cause, id, { anyway = false } = {}) {
    const list = await device.open(id);
    const { step } = list.handle.plan(cause);
    if (!step) return 'nothing';
    if (cause === 'undo' && !anyway && await isOfPastTrip(device, id, step.gesture)) return 'tripIsOver';
    if (step.drafts.length) {
        await device.perform(id, step.drafts);
        return 'done';
    }
    const entries = step.gesture.map(entry => entry.id);
    list.handle.pass(entries);
    await device.store.pass(id, entries);
    return 'passed';
}

async function isOfPastTrip(device, id, gesture) {
    // A trip that is over has no mark of the last minutes, so most gestures need no look at the trips.
    const marks = gesture.filter(entry => entry.operation === 'markOff' && Date.now() - madeAt(entry.id) >= TRIP_PAUSE);
    if (!marks.length) return false;
    const trips = await (await device.trips()).of(id);
    // A redone mark brings the purchase back that the first one made.
    const isOf = (mark, pick) => mark.id === pick.entry || (mark.cause === 'redo' && mark.item === pick.item);
    return trips.some(trip => trip.isOver && trip.picks.some(pick => marks.some(mark => isOf(mark, pick))));
}
