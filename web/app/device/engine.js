// A run of the sync: the module's SyncMachine decides, and this code acts. The same loop as `SyncEngine` in Sources/TrolleySync.

import { note, noteAction } from './log.js';
// The store needs it with the first answer, when another version of the app may have taken the place of this one's files.
import './storage/incoming.js';
import { CallError, call } from './transport.js';

export class Engine {
    #device;
    /** The store of the session for which it runs. `device.store` may be another person's by the time an answer comes. */
    #store;
    #running = null;
    /** The run that follows the present one, and the triggers that wait, the next run's first. */
    #following = null;
    #waiting = [];

    constructor(device) {
        this.#device = device;
        this.#store = device.store;
    }

    /** Begins a run, or lets one follow the present run. @returns {Promise<object | null>} its report */
    run(trigger) {
        if (!this.#running) return this.#start(trigger);
        this.#waiting = this.#device.trolley.queueTrigger(this.#waiting, trigger);
        this.#following ??= this.#running.catch(() => {}).then(() => {
            const [next, ...later] = this.#waiting;
            this.#following = null;
            this.#waiting = [];
            if (!this.#device.isLeading) return null;
            const report = this.run(next);
            for (const trigger of later) this.run(trigger).catch(error => this.#device.noteTrouble(error));
            return report;
        });
        return this.#following;
    }

    /** Takes in an answer to a fetch that was made without a run. */
    async take(response, sent) {
        if (this.#running) return;
        const lists = new Incoming(this.#device, this.#store);
        const { problem, changes } = await this.#receive(response, sent, lists);
        if (problem) return;
        for (const list of changes.keys()) await lists.apply(list, this.#device.rows.get(list)?.shopping ?? false);
        await lists.flush();
    }

    async #start(trigger) {
        try {
            const report = await (this.#running = this.#perform(trigger));
            this.#device.runs.noteReport(report);
            return report;
        } finally {
            this.#running = null;
            // A page that ends entries needs it. By then another version of the app may have taken the place of this one's files.
            this.#device.later().catch(() => { /* The next run tries again. */ });
        }
    }

    async #perform(trigger) {
        const device = this.#device;
        const machine = device.trolley.openMachine();
        const lists = new Incoming(device, this.#store);
        let event = { type: 'begun', trigger };
        note(`begins a run: ${trigger}`);
        let kept;
        try {
            for (;;) {
                const { action, retryState, progress } = machine.next(event, new Date().toISOString());
                noteAction(action);
                try {
                    if (kept !== undefined && JSON.stringify(retryState) !== kept) {
                        await this.#store.saveRetryState(retryState);
                        kept = JSON.stringify(retryState);
                    }
                    // Before the first look the machine knows of no earlier failure, and of nothing that waits.
                    if (kept !== undefined) device.runs.note(progress, retryState);
                    else if (progress.type !== 'idle') device.runs.note(progress);
                    if (action.type === 'finish') return action.report;
                    event = await this.#act(action, lists);
                    if (event.type === 'deviceStatus') kept = JSON.stringify(event.deviceStatus.retryState ?? null);
                } catch (error) {
                    note(`fails here: ${error?.kind ?? error?.code ?? error?.name}`);
                    device.noteTrouble(error);
                    // A failure while the machine stops must not start it again.
                    if (action.type === 'finish') return { ...action.report, failure: { reason: 'store' } };
                    event = { type: 'broken', detail: String(error?.message ?? error) };
                }
            }
        } finally {
            machine.close();
            await lists.flush().catch(error => device.noteTrouble(error));
        }
    }

    async #act(action, lists) {
        const store = this.#store;
        switch (action.type) {
        case 'readStatus': return { type: 'deviceStatus', deviceStatus: await store.status() };
        case 'fetchLimits':
            return attempt(async () => ({ type: 'limits', limits: (await call('GET', 'config')).limits }));
        case 'publish': return attempt(() => this.#publish(action.list));
        case 'upload': return this.#upload(action);
        case 'reject': {
            const queued = await store.waiting(action.list, action.entries);
            await this.#settle(action.list, queued, { refused: { code: action.code, detail: action.detail } });
            return { type: 'done' };
        }
        case 'fetch': return this.#fetch(action.body, lists);
        case 'apply':
            await lists.apply(action.list, action.shopping);
            return { type: 'done' };
        default: throw new Error(`no such action: ${action.type}`);
        }
    }

    async #publish(list) {
        const store = this.#store, { trolley } = this.#device;
        const request = await store.createListRequest(list);
        let answer = null;
        try {
            answer = await call('POST', 'lists', request);
        } catch (error) {
            // It exists and belongs to another person. The next fetch shows whether this person is on it.
            if (error.code !== 'serverRecordChanged') throw error;
        }
        await store.notePublished(list, answer, new Date(), trolley);
        // A list that the service has lost is offered again completely.
        this.#device.unfolded.set(list, null);
        await this.#device.refresh(list);
        return { type: 'done' };
    }

    async #upload({ list, entries, bytes }) {
        const store = this.#store, { trolley } = this.#device;
        const waiting = await store.waiting(list, entries);
        if (!waiting.length) return { type: 'done' };
        // A browser has no clock that runs while the machine sleeps, so ages use the wall clock.
        const time = wall => ({ boot: '', uptime: 0, wall });
        const queued = waiting.map(({ wall, ...rest }) => ({ ...rest, made: time(wall) }));
        const request = trolley.cutUpload(queued, time(new Date().toISOString()), bytes);
        await store.noteSending(list, request.entries);
        const noteEnd = response => request.age !== undefined && store.noteUploadEnded(
            list, times => trolley.uploadEnded(times, request.age, new Date().toISOString(), response),
            { sent: request.entries, reach: trolley.rules().reach });
        let response;
        try {
            response = await call('POST', `lists/${list}/entries`, request.body);
        } catch (error) {
            if (!(error instanceof CallError)) throw error;
            await noteEnd();
            return { type: 'uploadFailed', ...error.event, entries: request.entries.length, bytes: request.bytes };
        }
        await noteEnd(response);
        const { sent, rejected, held } = await this.#settle(list, waiting.slice(0, request.entries.length), { response });
        return { type: 'uploaded', sent, rejected, held };
    }

    async #settle(list, waiting, answer) {
        const device = this.#device;
        const queued = waiting.map(({ id, entry, isOffered, isOwn }) => ({ id, operation: entry.operation, isOffered, isOwn }));
        const settlement = await this.#store.settle(list, through => device.trolley.settle(queued, answer, through), new Date());
        const refused = settlement.refused.map(({ entry }) => entry);
        if (refused.length) {
            await device.lists.forget(list, refused);
            device.emit('refused', { list, count: refused.length });
        }
        await device.refresh(list);
        return settlement;
    }

    async #fetch(body, lists) {
        const store = this.#store, { trolley } = this.#device;
        const sent = { ...body, report: await store.report(trolley, new Date()) };
        let response;
        try {
            response = await call('POST', 'changes', sent);
        } catch (error) {
            if (!(error instanceof CallError)) throw error;
            return { type: 'failed', ...error.event };
        }
        const { problem, outcome } = await this.#receive(response, sent, lists);
        if (problem) return { type: 'failed', reason: 'problem', problem };
        return { type: 'fetched', outcome, moreComing: response.moreComing, unreachable: response.unreachable ?? [] };
    }

    /** Stores an answer. @returns {Promise<object>}  what the store says of it; with `problem`, nothing was stored */
    async #receive(response, sent, lists) {
        const store = this.#store, { trolley } = this.#device;
        const { problem } = trolley.rules(response.protocolVersion ?? 1);
        if (problem) return { problem };
        const { outcome, changes, moved } = await store.receive(response, sent, {
            now: new Date(), trolley, shown: this.#device.shownLists, loadLater: () => this.#device.later(),
        });
        lists.note(changes);
        for (const [from, to] of moved) {
            this.#device.tabs.emit('moved', { from, to });
            await this.#device.refresh(to);
            await this.#device.refresh(from);
        }
        return { outcome, changes };
    }
}

async function attempt(work) {
    try {
        return await work();
    } catch (error) {
        if (!(error instanceof CallError)) throw error;
        return { type: 'failed', ...error.event };
    }
}

/** Folds the changes that a run has stored. Sequences must ascend, so it folds after the run has stored all of them. */
class Incoming {
    #device;
    #store;

    constructor(device, store) {
        this.#device = device;
        this.#store = store;
    }

    note(changes) {
        const { unfolded } = this.#device;
        for (const [list, some] of changes) {
            const known = unfolded.get(list);
            unfolded.set(list, some === null || known === null ? null : [...(known ?? []), ...some]);
            if (some?.length) this.#warn(list, some);
        }
    }

    /** Others may have marked off the same items at nearly the same time, or changed the same fields. */
    async #warn(list, changes) {
        const device = this.#device, isShared = device.rows.get(list)?.share?.participants.length > 1;
        const has = operation => isShared && changes.some(({ entry }) => entry?.operation === operation);
        try {
            if (has('markOff')) {
                const { doubleBuys } = await import('./marks.js');
                for (const [by, items] of await doubleBuys(device, list, changes)) device.tabs.emit('double-buy', { list, by, items });
            }
            if (has('edit')) {
                const { conflicts } = await import('./conflicts.js');
                for (const conflict of await conflicts(device, list, changes)) device.tabs.emit('conflict', { list, ...conflict });
            }
        } catch { /* Nobody is warned, that is all. */ }
    }

    async apply(list, shopping) {
        const open = await this.#device.open(list);
        const applied = await this.#store.apply(
            list, (waiting, received) => open.handle.arrivals(waiting, received, shopping));
        this.note(new Map([[list, applied.map(entry => ({ sequence: entry.sequence, type: 'entry', entry }))]]));
        await this.#device.refresh(list);
    }

    async flush() { for (const list of [...this.#device.unfolded.keys()]) await this.#device.refresh(list); }
}
