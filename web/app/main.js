// Starts the app: language, device, screens, service worker.

import { Device } from './device/device.js';
import { StorageError } from './device/storage/database.js';
import { language, loadTexts } from './text.js';
import { Shell } from './ui/shell.js';
import { showFailure } from './ui/failure.js';

/** This version's name in the service worker and the diagnostics: the hash of all files. */
export const version = new URL(import.meta.url).pathname.split('/')[2];

// It runs here: see old.js.
const old = document.getElementById('old');
old.removeAttribute('id');

/** The running app, for the console and the tests: `(await import('/app/…/main.js')).running.device`. */
export const running = {};

/** @param {'trolley' | 'later' | 'documents'} name */
async function loadModule(name) {
    const { Trolley } = await import('./trolley.js');
    return Trolley.load(fetch(new URL(`${name}.wasm`, import.meta.url), { credentials: 'same-origin' }));
}

async function begin() {
    const device = running.device = new Device(loadModule, () => language);
    // What is needed next, while the storage is read.
    const texts = loadTexts();
    texts.catch(() => {});
    if (location.hash.startsWith('#/list/')) {
        import('./ui/list.js').catch(() => {});
        // What this imports would be asked for last.
        import('./ui/presence.js').catch(() => {});
    }
    try {
        await device.start();
    } catch (error) {
        await texts;
        if (!(error instanceof StorageError)) throw error;
        return showFailure(error.kind, device);
    }
    await texts;
    if (device.settings.language) await loadTexts(device.settings.language);
    if (device.settings.theme) document.documentElement.dataset.theme = device.settings.theme;
    if (location.hash.startsWith('#/signed-in')) await (await import('./ui/identity.js')).comeBack(device);
    const shell = new Shell(device, document.getElementById('app'));
    const started = shell.start();
    started.catch(() => { /* It is awaited when the module is loaded. */ });
    try {
        await device.run();
    } catch (error) {
        console.warn('the module could not be loaded', error);
        // Otherwise the screen would take the place of the sentence.
        await started;
        return showFailure('module', device);
    }
    await started;
    shell.ready();
    const { keepUpdated } = await import('./updates.js');
    keepUpdated(shell);
    // Only where the person has allowed notices.
    if (globalThis.Notification?.permission === 'granted') (await import('./device/push.js')).keepSubscribed(device);
}

begin().catch(async error => {
    console.warn(error);
    try {
        await loadTexts();
    } catch {
        // Without any texts, the page's own is left.
        old.hidden = false;
        return;
    }
    const detail = String(error?.message ?? error);
    // Every browser's words for a missing file have this one. Nobody should be offered to start over then.
    showFailure(/import/i.test(detail) ? 'module' : 'unknown', running.device, detail);
});
