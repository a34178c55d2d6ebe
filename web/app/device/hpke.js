// HPKE (RFC 9180) for a single message, in base mode: X25519, HKDF-SHA256, AES-256-GCM. The sealed form is the encapsulated key,
// then the ciphertext.

import { expand, extract, joined, utf8 } from './bytes.js';

// The algorithms' numbers (RFC 9180 §7).
const KEM = [0x00, 0x20], KDF = [0x00, 0x01], AEAD = [0x00, 0x02];
const NONE = new Uint8Array();
const ENCAPSULATED = 32, KEY = 32, NONCE = 12;

/**
 * @param {Uint8Array} publicKey  the addressee's
 * @param {Uint8Array} info  both must give the same
 * @param {Uint8Array} text
 */
export async function seal(publicKey, info, text) {
    const own = await crypto.subtle.generateKey('X25519', false, ['deriveBits']);
    const encapsulated = new Uint8Array(await crypto.subtle.exportKey('raw', own.publicKey));
    const other = await crypto.subtle.importKey('raw', publicKey, 'X25519', true, []);
    const { key, iv } = await schedule(own.privateKey, other, encapsulated, publicKey, info);
    return joined(encapsulated, new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, text)));
}

/**
 * Throws if the message was sealed for another key or info.
 * @param {{privateKey: CryptoKey, publicKey: Uint8Array}} own
 * @param {Uint8Array} additional  data that the sender authenticated
 */
export async function open(own, info, sealed, additional = NONE) {
    const encapsulated = sealed.slice(0, ENCAPSULATED);
    const other = await crypto.subtle.importKey('raw', encapsulated, 'X25519', true, []);
    const { key, iv } = await schedule(own.privateKey, other, encapsulated, own.publicKey, info);
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: additional }, key, sealed.slice(ENCAPSULATED)));
}

/** RFC 9180 §4.1 and §5.1: the key and the nonce of the first message. */
async function schedule(privateKey, other, encapsulated, recipient, info) {
    const agreed = new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: other }, privateKey, 256));
    const kem = joined(utf8('KEM'), KEM);
    const shared = await labelledExpand(
        kem, await labelledExtract(kem, NONE, 'eae_prk', agreed), 'shared_secret', joined(encapsulated, recipient), 32);
    const suite = joined(utf8('HPKE'), KEM, KDF, AEAD);
    // Mode 0: no pre-shared key.
    const context = joined(
        [0], await labelledExtract(suite, NONE, 'psk_id_hash', NONE), await labelledExtract(suite, NONE, 'info_hash', info));
    const secret = await labelledExtract(suite, shared, 'secret', NONE);
    const raw = await labelledExpand(suite, secret, 'key', context, KEY);
    return {
        key: await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']),
        iv: await labelledExpand(suite, secret, 'base_nonce', context, NONCE),
    };
}

const VERSION = utf8('HPKE-v1');

const labelledExtract = (suite, salt, label, material) => extract(salt, joined(VERSION, suite, utf8(label), material));

const labelledExpand = (suite, key, label, info, length) =>
    expand(key, joined([length >> 8, length & 255], VERSION, suite, utf8(label), info), length);
