// The runs of the sync: when one begins, and how far it has come. In a tab that doesn't lead: what the leading one has told.

import { noteWait } from './log.js';

export class Runs {
    /** Unknown until the first run of the leading tab has reported. */
    progress = { type: 'unknown' };
    /** Whether the last finished run left nothing to do. */
    isInStep = false;
    pace = {};
    /** The number of refused changes that the person has not dismissed. */
    refused = 0;
    #device;
    /** Loaded for the first sync: a page on which nobody is signed in doesn't need it. */
    #engine = null;
    #timer = null;

    constructor(device) { this.#device = device; }

    /** Syncs, here or in the leading tab. */
    async begin(trigger) {
        const device = this.#device;
        if (!device.session || device.isAlone || !device.trolley) return null;
        if (!device.isLeading) {
            device.tabs.sync(trigger);
            return null;
        }
        try {
            this.#engine ??= import('./engine.js').then(({ Engine }) => new Engine(device));
            const engine = await this.#engine;
            if (trigger === 'launch') await this.takeAhead();
            const report = await engine.run(trigger);
            if (!report || report.failure) return report;
            // After the lists, because people are invited to a list that is there, and a place is of one that is here.
            if (await device.store.kept('inviting')) await (await import('./inviting.js')).sendInvitations(device);
            await (await import('./arranging.js')).exchange(device, trigger);
            return report;
        } catch (error) {
            // The next sync tries to load it again.
            this.#engine = null;
            device.noteTrouble(error);
            return null;
        }
    }

    /** Takes in what the service worker has fetched while no page was on the screen. */
    async takeAhead() {
        if (!navigator.serviceWorker?.controller || !this.#engine) return;
        try {
            const [engine, { takeAhead }] = await Promise.all([this.#engine, import('./ahead.js')]);
            await takeAhead(this.#device, (response, sent) => engine.take(response, sent));
        } catch (error) {
            // The run that follows fetches it.
            console.warn('what was fetched ahead is not taken in', error);
        }
    }

    /** Schedules the next try. Each run reports its time, also a run that followed another. */
    noteReport(report) {
        clearTimeout(this.#timer);
        if (report.rejected) this.countRefused().catch(error => this.#device.noteTrouble(error));
        if (!report.nextTry) return;
        noteWait(report, this.pace);
        const wait = Math.max(50, Date.parse(report.nextTry) - Date.now());
        this.#timer = setTimeout(() => this.begin('timer'), Math.min(wait, 2 ** 31 - 1));
    }

    /** A run has come this far: shows it in all tabs. */
    note(progress, pace) {
        if (!this.#device.session) return;
        this.show(progress, pace);
        this.#device.tabs.tell({ type: 'progress', progress, pace });
    }

    show(progress, pace) {
        this.progress = progress;
        if (pace) this.pace = pace;
        // While a later run fetches, the device counts as in step if it was before.
        if (progress.type !== 'fetching') this.isInStep = progress.type === 'idle';
        this.#device.emit('progress');
    }

    async countRefused() {
        this.showRefused(await this.#device.store.refused());
        this.#device.tabs.tell({ type: 'refused', count: this.refused });
    }

    showRefused(count) {
        this.refused = count;
        this.#device.emit('progress');
    }

    /** The session is over. */
    clear() {
        Object.assign(this, { progress: { type: 'unknown' }, isInStep: false, pace: {}, refused: 0 });
        this.#engine = null;
    }
}
