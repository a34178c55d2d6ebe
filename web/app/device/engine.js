// A run of the sync: the module's SyncMachine decides, and this code acts. The same loop as `SyncEngine` in Sources/TrolleySync.

import { note, noteAction } from './log.js';
import { CallError, call } from './transport.js';

// The versions of the rules by which this page can fold; see docs/protocol.md, Versions.
export const PROTOCOL_VERSIONS = [2, 3];

export class Engine {
    #device;
    #running = null;
    /** The run that follows the present one, and the triggers that wait, the next run's first. */
    #following = null;
    #waiting = [];

    constructor(device) { this.#device = device; }

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

    async #start(trigger) {
        try {
            const report = await (this.#running = this.#perform(trigger));
            this.#device.runs.noteReport(report);
            return report;
        } finally {
            this.#running = null;
        }
    }

    async #perform(trigger) {
        const device = this.#device;
        const machine = device.trolley.openMachine();
        const lists = new Incoming(device);
        let event = { type: 'begun', trigger };
        note(`begins a run: ${trigger}`);
        let kept;
        try {
            for (;;) {
                const { action, pace, progress } = machine.next(event, new Date().toISOString());
                noteAction(action);
                try {
                    if (kept !== undefined && JSON.stringify(pace) !== kept) {
                        await device.store.savePace(pace);
                        kept = JSON.stringify(pace);
                    }
                    // Before the first look the machine knows of no earlier failure, and of nothing that waits.
                    if (kept !== undefined) device.runs.note(progress, pace);
                    else if (progress.type !== 'idle') device.runs.note(progress);
                    if (action.type === 'finish') return action.report;
                    event = await this.#act(action, lists);
                    if (event.type === 'standing') kept = JSON.stringify(event.standing.pace ?? null);
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
        const { store } = this.#device;
        switch (action.type) {
        case 'look': {
            const { pace, ...standing } = await store.status();
            return { type: 'standing', standing: { ...standing, ...(pace && { pace }) } };
        }
        case 'askLimits':
            return attempt(async () => ({ type: 'limits', limits: (await call('GET', 'config')).limits }));
        case 'publish': return attempt(() => this.#publish(action.list));
        case 'upload': return this.#upload(action);
        case 'reject': {
            const queued = await store.waiting(action.list, action.entries);
            await this.#settle(action.list, queued.map(({ id, isOwn }) => isOwn
                ? { entry: id, outcome: 'rejected', code: action.code, detail: action.detail }
                : { entry: id, outcome: 'known' }));
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
        const { store } = this.#device;
        const request = await store.createListRequest(list);
        let answer = null;
        try {
            answer = await call('POST', 'lists', request);
        } catch (error) {
            // It exists and belongs to another person. The next fetch shows whether this person is on it.
            if (error.code !== 'serverRecordChanged') throw error;
        }
        await store.notePublished(list, answer, new Date());
        // A list that the service has lost is offered again completely.
        this.#device.unfolded.set(list, null);
        await this.#device.refresh(list);
        return { type: 'done' };
    }

    async #upload({ list, entries, bytes }) {
        const { store, trolley } = this.#device;
        const records = await store.waiting(list, entries);
        if (!records.length) return { type: 'done' };
        // A browser has no clock that runs while the machine sleeps, so ages use the wall clock.
        const time = wall => ({ boot: '', uptime: 0, wall });
        const queued = records.map(({ entry, wall, offered }) => ({ entry, made: time(wall), isOffered: offered === true }));
        const now = new Date();
        const request = trolley.cutUpload(queued, time(now.toISOString()), bytes);
        await store.noteSending(list, request.entries);
        const isSent = new Set(request.entries);
        const ages = records.filter(({ id, offered }) => isSent.has(id) && !offered).map(({ wall }) => Math.max(0, now - Date.parse(wall)));
        const noteEnd = latest => ages.length && store.noteUploadEnded(list, Math.min(...ages), new Date(), latest);
        let response;
        try {
            response = await call('POST', `lists/${list}/entries`, request.body);
        } catch (error) {
            if (!(error instanceof CallError)) throw error;
            await noteEnd();
            return { type: 'uploadFailed', ...error.event, entries: request.entries.length, bytes: request.bytes };
        }
        const dispensable = records.filter(({ entry, offered }) => offered || entry.operation === 'deleteMessage').map(({ id }) => id);
        await noteEnd(response.results?.map(result => result.madeAt ?? '').sort().at(-1));
        const { verdicts, sent, rejected, held } = trolley.verdicts(response, request.entries, dispensable);
        await this.#settle(list, verdicts);
        return { type: 'uploaded', sent, rejected, held };
    }

    async #settle(list, verdicts) {
        const device = this.#device;
        const refused = await device.store.settle(list, verdicts, new Date());
        if (refused.length) {
            await device.lists.forget(list, refused);
            device.emit('refused', { list, count: refused.length });
        }
        await device.refresh(list);
    }

    async #fetch(body, lists) {
        const { store, trolley } = this.#device;
        const sent = { ...body, report: await store.report(Date.now()) };
        let response;
        try {
            response = await call('POST', 'changes', sent);
        } catch (error) {
            if (!(error instanceof CallError)) throw error;
            return { type: 'failed', ...error.event };
        }
        if (!PROTOCOL_VERSIONS.includes(response.protocolVersion ?? 1)) {
            const problem = {
                code: 'incompatibleVersion', status: 426, title: '',
                detail: `the service folds by version ${response.protocolVersion}, this page by ${PROTOCOL_VERSIONS.at(-1)}`,
            };
            return { type: 'failed', reason: 'problem', problem };
        }
        const { outcome, changes, moved } = await store.receive(response, sent, {
            now: new Date(), trolley, shown: this.#device.shownLists, loadLater: () => this.#device.later(),
        });
        lists.note(changes);
        for (const [from, to] of moved) {
            this.#device.tabs.emit('moved', { from, to });
            await this.#device.refresh(to);
            await this.#device.refresh(from);
        }
        return {
            type: 'fetched', receipt: outcome, moreComing: response.moreComing, unreachable: response.unreachable ?? [],
        };
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

    constructor(device) { this.#device = device; }

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
        const applied = await this.#device.store.apply(
            list, (waiting, received) => open.handle.arrivals(waiting, received, shopping));
        this.note(new Map([[list, applied.map(entry => ({ sequence: entry.sequence, type: 'entry', entry }))]]));
        await this.#device.refresh(list);
    }

    async flush() { for (const list of [...this.#device.unfolded.keys()]) await this.#device.refresh(list); }
}
