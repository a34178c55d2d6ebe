// Lists before their person has an account.

/** Keeps lists on this device alone, until the person signs up or in: they wait for an account, as lists do that are made offline. */
export async function beginAlone(device) {
    const trolley = await device.loaded(), [account, own] = trolley.identifiers(new Date().toISOString(), 2);
    const session = { account: { id: account, name: '', email: '' }, device: { id: own }, isAlone: true };
    await device.store.saveSession(session, trolley);
    device.session = session;
    device.tabs.tell({ type: 'session' });
    navigator.storage?.persist?.().catch(() => {});
}
