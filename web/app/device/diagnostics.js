// The diagnostic log of a browser: what `trolley diagnostics` writes (`DeviceDiagnostics` in Sources/TrolleyWire), so that `trolley
// inspect` compares it with other devices and with the service. What people wrote is in it only if the person asks for that.

import { hashOf } from './entry-hash.js';
import { codeOf, logged, loggedElsewhere } from './log.js';
import { sha256 } from './sha256.js';

/** The most entries of a list; older ones are counted. */
const ENTRIES = 20_000;

/** @param {{withContent?: boolean}} [options] @returns {Promise<string>}  a JSON document */
export async function diagnostics(device, { withContent = false } = {}) {
    const [{ lists, rejected, notices, pace }, module, storage, persisted, otherTabs] = await Promise.all([
        device.store.everything(), versionOf('trolley.wasm'), navigator.storage?.estimate?.().catch(() => null),
        navigator.storage?.persisted?.(), loggedElsewhere(),
    ]);
    const now = Date.now();
    const content = entry => withContent && { content: entry };
    return JSON.stringify({
        kind: 'device', format: 1, server: location.origin,
        account: device.session?.account.id, device: device.session?.device?.id, now: new Date(now).toISOString(),
        platform: navigator.userAgent,
        // The app's version names all of its files, the modules too.
        versions: { app: new URL(import.meta.url).pathname.split('/')[2], module, protocol: device.trolley?.rules().protocolVersions },
        online: navigator.onLine, leads: device.isLeading, persisted, storage: storage?.usage,
        progress: { ...device.progress, failure: codeOf(device.progress.failure) },
        failuresInARow: pace?.failures ?? 0, nextTry: pace?.nextTry ?? null, askedToWait: pace?.askedToWait ?? false,
        sessionEndedAt: pace?.sessionEndedAt ?? null, failures: pace?.lately ?? [],
        limits: {
            entriesPerRequest: pace?.limits?.entriesPerRequest ?? null, bytesPerRequest: pace?.limits?.bytesPerRequest ?? null,
            learnedEntries: pace?.learnedEntries ?? null, learnedUntil: pace?.learnedUntil ?? null,
        },
        pace,
        lists: lists.map(list => listOf(device, list, now, withContent)),
        rejected: rejected.map(({ list, entry, code, at }) => ({
            list, entry: entry.id, operation: entry.operation, item: entry.item, deviceSequence: entry.deviceSequence, code, at, ...content(entry),
        })),
        notices: notices.map(({ list, reason, keptAside, at }) => ({ list, reason, keptAside, at })),
        log: logged(), otherTabs,
    }, null, 2);
}

function listOf(device, { row, entries, pending }, now, withContent) {
    const content = entry => withContent && { content: entry };
    const upload = pending.filter(record => record.queued), toApply = entries.filter(record => record.waiting);
    return {
        id: row.id, published: row.published, local: row.local, shopping: row.shopping, through: row.through, received: row.received,
        confirmed: entries.length - toApply.length, differed: row.differed ?? 0, differedAt: row.differedAt ?? null,
        digest: digestOf(device.trolley, entries.map(record => record.entry)),
        upload: counted(upload), toApply: counted(toApply), ...(withContent && { name: device.states.get(row.id)?.name }),
        entriesOmitted: Math.max(0, entries.length - ENTRIES),
        queued: pending.map(record => ({ ...brief(record.entry), state: stateOf(record), age: Math.max(0, now - Date.parse(record.wall)), ...content(record.entry) })),
        entries: entries.slice(-ENTRIES).map(({ entry, waiting }) => ({
            sequence: entry.sequence, ...brief(entry), device: entry.device, ...(waiting && { state: 'toApply' }), ...content(entry),
        })),
    };
}

const brief = entry => ({
    id: entry.id, operation: entry.operation, item: entry.item, deviceSequence: entry.deviceSequence, hash: hashOf(entry),
});

/** Of an entry of one's own: it was never sent; may have reached the service; is there, and has not come back; or is brought back to the service. */
const stateOf = ({ queued, sent, offered }) => !queued ? 'taken' : offered ? 'offered' : sent ? 'sent' : 'new';

const counted = records => records.reduce((all, { entry: { operation } }) => ({ ...all, [operation]: (all[operation] ?? 0) + 1 }), {});

/** The digest of all received entries, shown or not: equal on all devices. null: the module isn't loaded, or refuses them. */
function digestOf(trolley, entries) {
    try {
        const list = trolley.openList({ entries });
        try { return list.digest().confirmed; } finally { list.close(); }
    } catch {
        return null;
    }
}

/** Names a file of the app by its content; null if it can't be loaded now. */
async function versionOf(name) {
    try {
        const response = await fetch(new URL(`../${name}`, import.meta.url), { credentials: 'same-origin' });
        return response.ok ? sha256(new Uint8Array(await response.arrayBuffer())).slice(0, 16) : null;
    } catch {
        return null;
    }
}
