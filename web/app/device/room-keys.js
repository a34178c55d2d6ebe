// The keys that are derived from a room's secret (docs/protocol.md, Rooms). The service has the handshake key only.

import { base64url, expand, extract, fromBase64url, hmac, joined, utf8 } from './bytes.js';

/** What a hail is sealed with: it opens for nobody else, and nowhere else. @param {string} addressee  a device */
export const hailContext = (list, room, { account, device }, addressee) =>
    utf8(`trolley hail 1|${list}|${room}|${account}|${device}|${addressee}`);

/** @param {{roomID: string, secret: string}} credentials */
export async function roomKeys({ roomID, secret }) {
    const material = await extract(utf8(roomID), fromBase64url(secret));
    const handshake = await expand(material, utf8('trolley room handshake 1'), 32);
    const frames = await crypto.subtle.importKey(
        'raw', await expand(material, utf8('trolley room frames 1'), 32), 'AES-GCM', false, ['encrypt', 'decrypt']);
    const algorithm = (iv, { account, device }) => ({ name: 'AES-GCM', iv, additionalData: utf8(`${roomID}|${account}|${device}`) });
    return {
        room: roomID,
        /** The handshake key, as the service gets it. */
        handshakeKey: base64url(handshake),
        /** A signed `join`, for one use. @param {number} timestamp  milliseconds by the service's clock */
        async join(list, { account, device }, timestamp) {
            const nonce = base64url(crypto.getRandomValues(new Uint8Array(16)));
            const signature = await hmac(handshake, utf8(`trolley room 2|${list}|${roomID}|${account}|${device}|${timestamp}|${nonce}`));
            return { type: 'join', version: 2, room: roomID, list, author: account, device, timestamp, nonce, signature: base64url(signature) };
        },
        /** Seals a frame. Room and sender are authenticated, so nobody can pass on another's frame as their own. */
        async seal(frame, sender) {
            const nonce = crypto.getRandomValues(new Uint8Array(12));
            const sealed = await crypto.subtle.encrypt(algorithm(nonce, sender), frames, utf8(JSON.stringify(frame)));
            return base64url(joined(nonce, new Uint8Array(sealed)));
        },
        /** Throws if the frame is not of this room and sender. */
        async open(body, sender) {
            const bytes = fromBase64url(body);
            const text = await crypto.subtle.decrypt(algorithm(bytes.slice(0, 12), sender), frames, bytes.slice(12));
            return JSON.parse(new TextDecoder().decode(text));
        },
    };
}
