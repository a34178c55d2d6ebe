// What the service worker has fetched when a push came and no page was on the screen.

/**
 * Takes it in, so that the newest lists show without a signal, too.
 * @param {import('./device.js').Device} device
 * @param {(response: object, sent: object) => Promise<void>} receive
 */
export async function takeAhead(device, receive) {
    if (!globalThis.caches) return;
    const stored = await caches.match('/ahead');
    if (!stored) return;
    const { account, sent, response } = await stored.json();
    await forgetAhead();
    // A run may have fetched since then, or somebody else is signed in.
    const rows = (await device.store.lists()).filter(row => !row.local && row.token);
    const isNext = rows.length === Object.keys(sent.tokens).length && rows.every(row => sent.tokens[row.id] === row.token);
    if (isNext && account === device.session?.account.id) await receive(response, sent);
}

/** For a session that ends, and an answer that is taken in. */
export async function forgetAhead() {
    for (const name of await globalThis.caches?.keys() ?? []) await (await caches.open(name)).delete('/ahead');
}
