// The service worker opens the app without a network. The page offers a new version, which takes over on a tap.

import { t } from './text.js';
import { toast } from './ui/sheet.js';

const policy = globalThis.trustedTypes?.createPolicy('trolley', {
    createScriptURL: url => {
        if (url !== '/sw.js') throw new TypeError('no other script');
        return url;
    },
});

export async function keepUpdated(shell) {
    if (!navigator.serviceWorker) return;
    let reloads = false;
    navigator.serviceWorker.addEventListener('controllerchange', () => {
        // The first worker takes over a page that has no older version; every later one was asked to.
        if (reloads) location.reload();
    });
    const registration = await navigator.serviceWorker
        .register(policy ? policy.createScriptURL('/sw.js') : '/sw.js', { updateViaCache: 'none' })
        .catch(() => null);
    if (!registration) return;

    const offer = () => {
        const waiting = registration.waiting;
        if (!waiting || !registration.active) return;
        toast(t('update.ready'), {
            stays: true, name: 'update', action: t('update.now'), onaction: () => {
                reloads = true;
                waiting.postMessage('take over');
            },
        });
    };
    const watch = () => {
        // The first worker is no update. It may take over before the page hears that it is installed.
        if (!registration.active) return;
        registration.installing?.addEventListener('statechange', event => {
            if (event.target.state === 'installed') offer();
        });
    };
    offer();
    watch();
    registration.addEventListener('updatefound', watch);
    shell.update = async () => {
        await shell.checkForUpdate();
        const next = registration.waiting ?? registration.installing;
        if (!next) return location.reload();
        reloads = true;
        const takeOver = () => next.state === 'installed' && next.postMessage('take over');
        next.addEventListener('statechange', takeOver);
        takeOver();
    };
    shell.checkForUpdate = () => registration.update().catch(() => {});
    document.addEventListener('visibilitychange', () => document.hidden || shell.checkForUpdate());
}
