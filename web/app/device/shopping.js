// Shopping mode of a list, and the changes that wait for its end.

/**
 * Switches shopping mode. In it, other people's additions wait at the top, and the rows are in the order that past trips
 * have taught by now, so that none moves meanwhile.
 * @returns {Promise<boolean>}  whether it is stored
 */
export function setShopping(device, id, shopping, shop = null) {
    return device.attempt(async () => {
        // Without a network, a browser that never had the module shows the list's own order.
        const learned = shopping ? await device.trips().then(trips => trips.learn(id, shop)).catch(() => null) : null;
        await device.store.change(id, { shopping, learned, shop: shopping ? shop : null });
        await device.refresh(id);
        if (!shopping) await applyWaiting(device, id);
    });
}

/** Applies the waiting changes. */
export function applyWaiting(device, id) {
    return device.attempt(async () => {
        const list = await device.open(id);
        await device.store.apply(id, (waiting, received) => list.handle.arrivals(waiting, received, false));
        device.unfolded.set(id, null);
        await device.refresh(id);
    });
}
