// This device's key for hails: X25519, made anew each time that it opens a list, and never stored.

import { base64url } from './bytes.js';

/** @returns {Promise<{privateKey: CryptoKey, publicKey: Uint8Array, text: string} | null>}  null: this browser has no such keys */
export async function makeHailKey() {
    try {
        const { privateKey, publicKey } = await crypto.subtle.generateKey('X25519', false, ['deriveBits']);
        const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
        return { privateKey, publicKey: bytes, text: base64url(bytes) };
    } catch {
        return null;
    }
}
