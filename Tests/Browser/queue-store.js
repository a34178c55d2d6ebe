// Carries the calls of Swift's `QueueStoreCheck`s to the web app's store. Each call is a method of `QueueStore`.

const ACCOUNT = '0199b2c4-0000-7000-8000-00000000a11c', SUCCESSOR = '0199b2c4-0000-7000-8000-00000000a11d';

/** @param {string} base  the path of the served app */
export async function begin(base) {
    const [{ Store }, { Trolley }] = await Promise.all([import(`${base}device/store.js`), import(`${base}trolley.js`)]);
    const [trolley, later] = await Promise.all(['trolley', 'later'].map(name => Trolley.load(fetch(`${base}${name}.wasm`))));
    let store;
    const time = text => new Date(text);
    const texts = entries => entries.map(entry => JSON.stringify(entry));
    const opened = async list => trolley.openList((await store.journal(list)).stored);

    const methods = {
        async open({ isNew }) {
            store?.database.close();
            store = new Store();
            if (isNew) await store.database.destroy();
            await (isNew ? store.saveSession({ account: { id: ACCOUNT } }, trolley) : store.opening());
        },
        async addList({ list }) { await store.addList(list); },
        async append({ list, entries, wall }) {
            const records = entries.map(entry => ({ entry, replaced: [] }));
            await store.append([{ id: list, made: { madeAt: wall, records } }], wall);
            return texts(records.map(record => record.entry));
        },
        async journal({ list }) {
            const { stored } = await store.journal(list);
            return {
                confirmed: texts(stored.entries),
                pending: stored.pending.map(({ entry, madeAt }) => ({ entry: JSON.stringify(entry), madeAt })),
            };
        },
        async state({ list }) {
            const handle = await opened(list);
            const state = handle.state();
            handle.close();
            return state;
        },
        status: () => store.status(),
        waiting: async ({ list, limit }) => (await store.waiting(list, limit)).map(({ entry, wall, isOffered, isOwn }) =>
            ({ entry: JSON.stringify(entry), wall, isOffered, isOwn })),
        toApply: async ({ list }) => texts((await store.brief(list)).waiting),
        rejected: async () => (await store.queues()).rejected.map(({ list, listName, entry, code, detail, at }) =>
            ({ list, listName, entry: JSON.stringify(entry), code, detail, at })),
        // The page reports counts and ages. The samples' times are in the future.
        async refusals() {
            const now = new Date('2100-01-01');
            return (await store.report(trolley, now)).failures.map(({ code, count, age }) =>
                ({ code, count, at: new Date(now - age).toISOString() }));
        },
        createListRequest: ({ list }) => store.createListRequest(list),
        async notePublished({ list, answer, now }) { await store.notePublished(list, answer, time(now), trolley); },
        async noteSending({ list, entries }) { await store.noteSending(list, entries); },
        async noteUploadEnded({ list, age, now, latest, sent }) {
            const response = latest && { results: [{ id: ACCOUNT, status: 'applied', sequence: 1, madeAt: latest }], token: '' };
            await store.noteUploadEnded(
                list, queued => trolley.uploadEnded(queued, age, now, response), { sent, reach: trolley.rules().reach });
        },
        async settle({ list, verdicts, now }) {
            // As the service answers. What was offered again, and exists with other content, is known.
            const results = verdicts.map(({ entry: id, outcome, sequence, code, detail }) => outcome === 'accepted'
                ? { id, status: 'applied', sequence }
                : { id, status: 'rejected', code: outcome === 'known' ? 'serverRecordChanged' : code, detail });
            const queued = verdicts.map(({ entry: id, outcome }) => (
                { id, operation: 'edit', isOffered: outcome === 'known', isOwn: true }));
            await store.settle(list, through => trolley.settle(queued, { response: { results, token: '' } }, through), time(now));
        },
        async receive({ response, now }) {
            const { lists } = await store.status();
            const tokens = Object.fromEntries(lists.filter(list => list.token).map(list => [list.id, list.token]));
            const { outcome } = await store.receive(response, { tokens }, { now: time(now), trolley, loadLater: () => later, shown: new Set() });
            return { outcome };
        },
        async apply({ list, shopping }) {
            const handle = await opened(list);
            await store.apply(list, (waiting, received) => handle.arrivals(waiting, received, shopping));
            handle.close();
        },
        async succeed() { await store.signedInAgain({ account: { id: SUCCESSOR } }, new Date(), trolley); },
        async saveRetryState({ retryState }) { await store.saveRetryState(retryState); },
    };

    /** As the app does: what is shown of each list is stored after each change of it. */
    async function saveFolds() {
        for (const { id } of (await store.status()).lists) {
            const handle = await opened(id);
            await store.saveFold(id, handle.state());
            handle.close();
        }
    }
    const changing = new Set(['append', 'settle', 'receive', 'apply']);

    /** @param {string} text  a call  @returns {Promise<string>}  its answer */
    return async text => {
        const { call, ...values } = JSON.parse(text);
        try {
            const value = await methods[call](values) ?? {};
            if (changing.has(call)) await saveFolds();
            return JSON.stringify({ value });
        } catch (error) {
            return JSON.stringify({ error: error?.message === 'the list is gone' ? 'noSuchList' : String(error?.stack ?? error) });
        }
    };
}
