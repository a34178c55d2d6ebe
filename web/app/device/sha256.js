// SHA-256 (FIPS 180-4), for pages over plain HTTP, too: WebCrypto isn't there.

const primes = [];
for (let number = 2; primes.length < 64; number++) if (primes.every(prime => number % prime)) primes.push(number);
/** The first 32 bits of the fractional part. */
const fraction = number => (number - Math.floor(number)) * 2 ** 32 | 0;
const CONSTANTS = primes.map(prime => fraction(Math.cbrt(prime)));
const START = primes.slice(0, 8).map(prime => fraction(Math.sqrt(prime)));
const rotated = (word, by) => word >>> by | word << 32 - by;

/** @param {Uint8Array} bytes @returns {string}  64 hexadecimal digits */
export function sha256(bytes) {
    const padded = new Uint8Array((bytes.length + 72 >> 6) << 6), view = new DataView(padded.buffer);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    view.setUint32(padded.length - 8, bytes.length / 2 ** 29);
    view.setUint32(padded.length - 4, bytes.length << 3);
    const state = [...START], words = new Int32Array(64);
    for (let at = 0; at < padded.length; at += 64) {
        for (let index = 0; index < 16; index++) words[index] = view.getInt32(at + 4 * index);
        for (let index = 16; index < 64; index++) {
            const a = words[index - 15], b = words[index - 2];
            words[index] = words[index - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >>> 3)
                + words[index - 7] + (rotated(b, 17) ^ rotated(b, 19) ^ b >>> 10);
        }
        let [a, b, c, d, e, f, g, h] = state;
        for (let index = 0; index < 64; index++) {
            const one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + (e & f ^ ~e & g) + CONSTANTS[index] + words[index] | 0;
            const two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
            [a, b, c, d, e, f, g, h] = [one + two | 0, a, b, c, d + one | 0, e, f, g];
        }
        [a, b, c, d, e, f, g, h].forEach((word, index) => { state[index] = state[index] + word | 0; });
    }
    return state.map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
