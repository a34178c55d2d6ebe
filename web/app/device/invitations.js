// Invitations to a list: made here, and accepted here.

import { base64url } from './bytes.js';
import { call } from './transport.js';

/** How often the device looks whether a list has come, and the milliseconds between. */
const LOOKS = 40, PAUSE = 100;

/**
 * Makes an invitation.
 * @param {string} list
 * @param {{permission?: 'readWrite' | 'readOnly', email?: string, uses?: number}} [options]  `email`: only who has this address may
 *   accept it; `uses`: how many people may use the link, otherwise one
 * @returns {Promise<string>}  the link: whoever has it gets onto the list. The service knows only the hash of its secret
 */
export async function invite(list, options) { return (await makeInvitation(list, options)).link; }

/** The same. @returns {Promise<{id: string, link: string}>} */
export async function makeInvitation(list, { secret = newSecret(), permission = 'readWrite', email, uses } = {}) {
    const { id } = await call('POST', `lists/${list}/invitations`, { secret, permission, ...(email && { email }), ...(uses > 1 && { uses }) });
    return { id, link: linkOf(secret) };
}

export const newSecret = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

export const linkOf = secret => `${location.origin}/join#${secret}`;

/**
 * Gets onto a list, and waits some seconds for it: it comes with the next fetch, which may be another tab's.
 * @param {string} secret
 * @returns {Promise<string>}  the list's id
 */
export async function accept(device, secret) {
    const { id } = await call('POST', 'invitations/accept', { secret });
    await device.sync('manual');
    for (let looks = 0; looks < LOOKS && !device.rows.has(id); looks++) await new Promise(go => setTimeout(go, PAUSE));
    return id;
}
