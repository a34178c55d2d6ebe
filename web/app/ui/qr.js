// A QR code (ISO/IEC 18004) of a link: bytes, error correction M, versions 1 to 10, which is up to 213 bytes.

const SVG = 'http://www.w3.org/2000/svg';

/** By version: all codewords, error correction codewords per block, blocks. */
const VERSIONS = [
    null, [26, 10, 1], [44, 16, 1], [70, 26, 1], [100, 18, 2], [134, 24, 2], [172, 16, 4], [196, 18, 4], [242, 22, 4],
    [292, 22, 5], [346, 26, 5],
];
const ALIGNMENT = [null, [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

// The field of 256 elements, by 0x11D.
const EXP = new Uint8Array(510), LOG = new Uint8Array(256);
for (let i = 0, x = 1; i < 255; i++) {
    EXP[i] = EXP[i + 255] = x;
    LOG[x] = i;
    x = x << 1 ^ (x & 0x80 ? 0x11D : 0);
}
const multiply = (a, b) => a && b ? EXP[LOG[a] + LOG[b]] : 0;

function remainder(data, count) {
    let generator = [1];
    for (let i = 0; i < count; i++) {
        const next = new Array(generator.length + 1).fill(0);
        generator.forEach((value, j) => {
            next[j] ^= value;
            next[j + 1] ^= multiply(value, EXP[i]);
        });
        generator = next;
    }
    const rest = [...data, ...new Array(count).fill(0)];
    for (let i = 0; i < data.length; i++) {
        const factor = rest[i];
        if (factor) generator.forEach((value, j) => { rest[i + j] ^= multiply(value, factor); });
    }
    return rest.slice(data.length);
}

/** Data and error correction, in blocks, interleaved. */
function codewords(bytes, version) {
    const [total, correction, blocks] = VERSIONS[version];
    const capacity = total - correction * blocks;
    const bits = [];
    const put = (value, count) => { for (let i = count - 1; i >= 0; i--) bits.push(value >> i & 1); };
    put(4, 4);
    put(bytes.length, version < 10 ? 8 : 16);
    for (const byte of bytes) put(byte, 8);
    put(0, Math.min(4, capacity * 8 - bits.length));
    while (bits.length % 8) bits.push(0);
    const data = [];
    for (let i = 0; i < bits.length; i += 8) data.push(parseInt(bits.slice(i, i + 8).join(''), 2));
    for (let pad = 0xEC; data.length < capacity; pad ^= 0xEC ^ 0x11) data.push(pad);
    const short = Math.floor(capacity / blocks), long = capacity % blocks;
    const parts = [];
    for (let i = 0, at = 0; i < blocks; i++) {
        const length = short + (i >= blocks - long ? 1 : 0);
        const part = data.slice(at, at += length);
        parts.push({ part, check: remainder(part, correction) });
    }
    const out = [];
    for (let i = 0; i <= short; i++) for (const { part } of parts) if (i < part.length) out.push(part[i]);
    for (let i = 0; i < correction; i++) for (const { check } of parts) out.push(check[i]);
    return out;
}

const MASKS = [
    (x, y) => (x + y) % 2, (x, y) => y % 2, x => x % 3, (x, y) => (x + y) % 3, (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    (x, y) => x * y % 2 + x * y % 3, (x, y) => (x * y % 2 + x * y % 3) % 2, (x, y) => ((x + y) % 2 + x * y % 3) % 2,
];

/** @returns {boolean[][]}  by row, true is dark */
export function code(text, forcedMask) {
    const bytes = new TextEncoder().encode(text);
    const version = VERSIONS.findIndex((entry, index) =>
        entry && bytes.length + (index < 10 ? 2 : 3) <= entry[0] - entry[1] * entry[2]);
    if (version < 1) throw new RangeError('too long for a code');
    const size = 17 + 4 * version;
    const dark = Array.from({ length: size }, () => new Array(size).fill(false));
    const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
    const set = (x, y, value) => {
        if (x < 0 || y < 0 || x >= size || y >= size) return;
        dark[y][x] = value;
        fixed[y][x] = true;
    };
    for (let i = 0; i < size; i++) {
        set(6, i, i % 2 === 0);
        set(i, 6, i % 2 === 0);
    }
    for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
        for (let y = -4; y <= 4; y++) for (let x = -4; x <= 4; x++) {
            const ring = Math.max(Math.abs(x), Math.abs(y));
            set(cx + x, cy + y, ring !== 2 && ring !== 4);
        }
    }
    const centres = ALIGNMENT[version], last = centres.length - 1;
    centres.forEach((cy, j) => centres.forEach((cx, i) => {
        if (i === 0 && j === 0 || i === 0 && j === last || i === last && j === 0) return;
        for (let y = -2; y <= 2; y++) for (let x = -2; x <= 2; x++) set(cx + x, cy + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }));
    const format = mask => {
        // Error correction M is 00.
        let rest = mask;
        for (let i = 0; i < 10; i++) rest = rest << 1 ^ (rest >> 9) * 0x537;
        const bits = (mask << 10 | rest) ^ 0x5412;
        const bit = i => (bits >> i & 1) === 1;
        for (let i = 0; i <= 5; i++) set(8, i, bit(i));
        set(8, 7, bit(6));
        set(8, 8, bit(7));
        set(7, 8, bit(8));
        for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
        for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
        for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
        set(8, size - 8, true);
    };
    format(0);
    if (version >= 7) {
        let rest = version;
        for (let i = 0; i < 12; i++) rest = rest << 1 ^ (rest >> 11) * 0x1F25;
        const bits = version << 12 | rest;
        for (let i = 0; i < 18; i++) {
            const value = (bits >> i & 1) === 1, a = size - 11 + i % 3, b = Math.floor(i / 3);
            set(a, b, value);
            set(b, a, value);
        }
    }
    const data = codewords(bytes, version);
    let index = 0;
    for (let right = size - 1; right >= 1; right -= 2) {
        if (right === 6) right = 5;
        for (let step = 0; step < size; step++) {
            for (let j = 0; j < 2; j++) {
                const x = right - j, y = (right + 1 & 2) === 0 ? size - 1 - step : step;
                if (fixed[y][x] || index >= data.length * 8) continue;
                dark[y][x] = (data[index >> 3] >> 7 - (index & 7) & 1) === 1;
                index += 1;
            }
        }
    }
    const masked = mask => {
        format(mask);
        return dark.map((row, y) => row.map((value, x) => fixed[y][x] ? value : value !== (MASKS[mask](x, y) === 0)));
    };
    if (forcedMask !== undefined) return masked(forcedMask);
    let best = null, least = Infinity;
    for (let mask = 0; mask < 8; mask++) {
        const matrix = masked(mask), penalty = penaltyOf(matrix);
        if (penalty < least) [best, least] = [matrix, penalty];
    }
    return best;
}

/** The penalty of a mask: long runs, blocks, patterns like the finders', uneven shares. */
function penaltyOf(matrix) {
    const size = matrix.length;
    let penalty = 0, count = 0;
    for (const line of [...matrix, ...matrix.map((_, x) => matrix.map(row => row[x]))]) {
        const text = line.map(Number).join('');
        for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
        for (let i = 0; i + 11 <= size; i++) {
            const part = text.slice(i, i + 11);
            if (part === '10111010000' || part === '00001011101') penalty += 40;
        }
    }
    for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) {
        if (matrix[y][x]) count += 1;
        if (x && y && matrix[y][x] === matrix[y - 1][x] && matrix[y][x] === matrix[y][x - 1] && matrix[y][x] === matrix[y - 1][x - 1]) {
            penalty += 3;
        }
    }
    return penalty + Math.floor(Math.abs(count * 20 - size * size * 10) / (size * size)) * 10;
}

/** The code as a picture: dark on light, in any colour scheme. */
export function drawCode(text) {
    const matrix = code(text), size = matrix.length + 8;
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
    svg.setAttribute('shape-rendering', 'crispEdges');
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', matrix.flatMap((row, y) => row.map((value, x) => value ? `M${x + 4} ${y + 4}h1v1h-1z` : '')).join(''));
    svg.append(path);
    return svg;
}
