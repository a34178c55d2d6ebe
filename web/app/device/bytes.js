// Bytes as texts, and the HMAC of RFC 2104 with the key derivation of RFC 5869, both with SHA-256.

export const utf8 = text => new TextEncoder().encode(text);

export function joined(...parts) {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}

/** Base64url without padding (RFC 4648 §5). */
export const base64url = bytes =>
    btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** Throws if the text is not base64url. */
export const fromBase64url = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), digit => digit.charCodeAt(0));

export async function hmac(key, message) {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

// An empty salt stands for zeros, and WebCrypto takes no empty key.
export const extract = (salt, material) => hmac(salt.length ? salt : new Uint8Array(32), material);

/** @param {number} length  32 at most */
export const expand = async (key, info, length) => (await hmac(key, joined(info, [1]))).slice(0, length);
