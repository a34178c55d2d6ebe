// People who are invited as a list is made, maybe without a network. The device makes the secrets, so the links are there at once; they
// work when the service has the list and the invitations. To send one again makes no second one.

import { makeInvitation, newSecret } from './invitations.js';
import { CallError } from './transport.js';

/** Problems that pass. */
const PASSING = new Set(['notAuthenticated', 'requestRateLimited', 'zoneBusy', 'serviceUnavailable', 'internalError']);

/** @typedef {{list: string, email: string, secret: string, refusal?: object}} Waiting  `refusal`: why the service doesn't take it */

/** Keeps invitations, to be sent. */
export function inviteLater(device, list, emails) {
    return device.store.keep('inviting', all => [...all ?? [], ...emails.map(email => ({ list, email, secret: newSecret() }))]);
}

/** The invitations to a list that the service has not taken. @returns {Promise<Waiting[]>} */
export async function waitingFor(device, list) {
    return (await device.store.kept('inviting') ?? []).filter(one => one.list === list);
}

/** Sends those that wait. The next run repeats what fails. */
export async function sendInvitations(device) {
    // Of this session: another person may sign in meanwhile.
    const { store } = device, waiting = await store.kept('inviting') ?? [];
    // As stored: another tab may have made the list just now.
    const rows = new Map(waiting.length ? (await store.lists()).map(row => [row.id, row]) : []);
    for (const { list, email, secret, refusal } of waiting) {
        const row = rows.get(list);
        if (refusal || row && !row.published) continue;
        try {
            if (row) {
                const { id, link } = await makeInvitation(list, { email, secret });
                await store.keep('links', links => ({ ...links, [id]: link }));
            }
            await forget(store, secret);
        } catch (error) {
            if (!(error instanceof CallError)) throw error;
            if (error.reason !== 'problem' || PASSING.has(error.code)) return;
            await change(store, all => all.map(one => one.secret === secret ? { ...one, refusal: error.problem } : one));
        }
    }
}

/** Nobody needs to know of it any more. */
export const forget = (store, secret) => change(store, all => all.filter(one => one.secret !== secret));

/** None are kept as null. */
function change(store, work) {
    return store.keep('inviting', all => {
        const left = work(all ?? []);
        return left.length ? left : null;
    });
}
