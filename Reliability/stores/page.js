// A page with the web app's own device and no screens. Reliability/stores/browser.py replaces APP with the app's address.

import { Device } from 'APP/device/device.js';
import { call } from 'APP/device/transport.js';
import { Trolley } from 'APP/trolley.js';

const device = new Device(name => Trolley.load(fetch(`APP/${name}.wasm`)), () => 'en');
const trouble = [];
device.addEventListener('trouble', ({ detail: { error } }) => trouble.push(String(error?.stack ?? error)));

/** Changes that are not made because of what has happened since: the item is gone, or the person may only read. */
const isRefused = error => ['unknownItem', 'listDeleted', 'permissionFailure'].includes(error?.code);

/** Whether the app's screens let the person change a list. */
const mayChange = row => row.share?.participants.find(person => person.account === device.session.account.id)?.permission !== 'readOnly';

/** What the app's screens do. Items and messages are named by their texts. Nothing: there is no such thing on the list. */
function drafts(list, kind, [first, second, third]) {
    const find = text => list.state.items.find(item => item.text === text);
    const item = find(first)?.id, below = second && kind === 'move' ? find(second)?.id : null;
    switch (kind) {
    case 'rename': return [{ operation: 'renameList', fields: { text: first } }];
    case 'recolour': return [{ operation: 'recolourList', fields: { colour: first } }];
    case 'say': return [{ operation: 'message', fields: { text: first } }];
    case 'react': {
        const message = list.handle.messages({ limit: 500 }).messages.find(({ text }) => text === first);
        return message ? [{ operation: 'react', fields: { message: message.id, text: '👍' } }] : [];
    }
    case 'clear': return list.state.items.filter(({ markedOff }) => markedOff).map(each => ({ operation: 'delete', item: each.id }));
    default: if (!item || below === undefined) return [];
    }
    switch (kind) {
    case 'edit': return [{ operation: 'edit', item, fields: { [second]: third || null } }];
    case 'off': return [{ operation: 'markOff', item }];
    case 'unmark': return [{ operation: 'unmark', item }];
    case 'move': return [{ operation: 'move', item, after: below }];
    case 'delete': return [{ operation: 'delete', item }];
    default: throw new Error(`no such change: ${kind}`);
    }
}

async function act(id, kind, ...values) {
    try {
        if (!device.rows.has(id)) return false;
        const list = await device.open(id);
        if (kind === 'shop') return await device.setShopping(id, values[0] === 'on');
        if (kind === 'undo' || kind === 'redo') return await device.revert(kind, id, { anyway: true }) === 'done';
        if (!mayChange(device.rows.get(id))) return false;
        if (kind === 'add') return (await device.add(id, values.join('\n'))).length > 0;
        return (await device.perform(id, drafts(list, kind, values))).length > 0;
    } catch (error) {
        if (isRefused(error)) return false;
        throw error;
    }
}

/** The digest of all received entries, as the device compares it with the service's. */
function digestOf(entries) {
    const list = device.trolley.openList({ entries });
    try { return list.digest().confirmed; } finally { list.close(); }
}

/** What is on the disk, and what a screen draws from. */
async function shown(id) {
    const { lists, rejected } = await device.store.everything(), stored = lists.find(({ row }) => row.id === id);
    const refused = rejected.map(({ entry }) => entry);
    if (!stored) return { rejected: refused };
    const { state } = await device.open(id), entries = stored.entries.map(({ entry }) => entry);
    return {
        state, rejected: refused, through: stored.row.through, digest: digestOf(entries), entries,
        waiting: stored.pending.filter(({ queued }) => queued).length, to_apply: stored.entries.filter(({ waiting }) => waiting).length,
    };
}

globalThis.stores = {
    act, shown, trouble,
    signIn: form => device.signIn(form),
    signOut: () => device.signOut(),
    makeList: name => device.makeList(name),
    sync: async () => {
        const report = await device.sync('manual');
        return report !== null && !report.failure;
    },
    messages: async list => (await device.open(list)).handle.messages({ limit: 500, person: device.session.account.id }).messages,
    activity: async list => (await call('GET', `lists/${list}/activity?limit=250`)).activity,
    unread: list => device.rows.get(list).unread,
    dismiss: async () => {
        await device.store.dismiss('rejected');
        await device.store.dismiss('notices');
    },
    /** Drops the entry that it has received last, from the disk. */
    spoil: list => device.store.database.write(['entries'], async t => {
        const records = await t.all('entries', IDBKeyRange.bound([list], [list, []]));
        await t.delete('entries', [list, records.at(-1).sequence]);
    }),
};
await device.start();
await device.run();
// A page leads when no other does. Only the leading one syncs.
while (!device.isLeading) await new Promise(go => setTimeout(go, 5));
globalThis.stores.isReady = true;
