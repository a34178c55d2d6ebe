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
    let reloads = false, isControlled = !!navigator.serviceWorker.controller;
    navigator.serviceWorker.addEventListener('controllerchange', () => {
        // The first worker takes over a page that has no older version.
        if (reloads || isControlled && isUnused()) location.reload();
        // Another tab has updated. The files of this page's version have gone.
        else if (isControlled) toast(t('update.newer'), { stays: true, name: 'update', action: t('update.now'), onaction: () => location.reload() });
        isControlled = true;
    });
    const registration = await navigator.serviceWorker
        .register(policy ? policy.createScriptURL('/sw.js') : '/sw.js', { updateViaCache: 'none' })
        .catch(() => null);
    if (!registration) return;

    const change = next => {
        reloads = true;
        registration.active?.postMessage('hand over');
        takeOver(next);
    };
    const offer = () => {
        const { waiting } = registration;
        if (!waiting || !registration.active) return;
        toast(t('update.ready'), { stays: true, name: 'update', action: t('update.now'), onaction: () => change(waiting) });
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
        const fail = () => toast(t('update.failed'), { isError: true });
        try {
            await registration.update();
            const next = registration.waiting ?? registration.installing;
            if (!next) return await isNewest() ? toast(t('update.none')) : location.reload();
            const follow = () => next.state === 'installed' ? change(next) : next.state === 'redundant' && fail();
            next.addEventListener('statechange', follow);
            follow();
        } catch {
            fail();
        }
    };
    shell.checkForUpdate = () => registration.update().catch(() => {});
    document.addEventListener('visibilitychange', () => document.hidden || shell.checkForUpdate());
}

/**
 * Asks a worker that waits to take over until it does. Chromium lets it wait while the old one is at work, for up to 5 minutes, and
 * forgets that it was asked if the page asks the old one for a file within the next second.
 */
function takeOver(next) {
    if (next.state !== 'installed') return;
    next.postMessage('take over');
    setTimeout(takeOver, 3000, next);
}

/** Whether the service has no other version than this page's. A worker leaves what isn't a visit to the network. */
async function isNewest() {
    const [, , version] = new URL(import.meta.url).pathname.split('/');
    return (await (await fetch('/', { cache: 'no-store' })).text()).includes(`/app/${version}/`);
}

/** Whether a reload takes nothing away: nobody looks at the page, no sheet is open, and nothing is typed. */
const isUnused = () => document.hidden && !document.querySelector('dialog[open]')
    && [...document.querySelectorAll('input, textarea')].every(field => !field.value);
