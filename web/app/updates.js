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
        if (!waiting || !navigator.serviceWorker.controller) return;
        toast(t('update.ready'), {
            stays: true, name: 'update', action: t('update.now'), onaction: () => {
                reloads = true;
                waiting.postMessage('take over');
            },
        });
    };
    offer();
    registration.addEventListener('updatefound', () => {
        registration.installing?.addEventListener('statechange', event => {
            if (event.target.state === 'installed') offer();
        });
    });
    shell.checkForUpdate = () => registration.update().catch(() => {});
    document.addEventListener('visibilitychange', () => document.hidden || shell.checkForUpdate());
}
