// Caches one complete version of the app, and shows notices. It leaves requests below /v1 alone, because the device stores its
// data itself.

const VERSION = '__VERSION__';
const CACHE = `trolley-${VERSION}`;
const FILES = __FILES__.map(file => `/app/${VERSION}/${file}`);
const PATHS = ['/', ...FILES];
/** The header with a stored file's hash, as it came. The build's hash won't do, because a proxy may rewrite files. */
const HASH = 'x-trolley-hash';

self.addEventListener('install', event => {
    event.waitUntil(store());
});

async function store() {
    const page = await fetch('/', { cache: 'reload' });
    // A proxy may answer with the page of another version, whose files would be missing.
    if (!await isUsable('/', page)) throw new TypeError('the page of another version');
    const files = await Promise.all(FILES.map(async path => {
        const response = await fetch(path);
        if (!await isUsable(path, response)) throw new TypeError(`there is no ${path}`);
        return [path, await marked(response)];
    }));
    // Only when all are there.
    const cache = await caches.open(CACHE);
    for (const [path, file] of [...files, ['/', await marked(page)]]) await cache.put(path, file);
    // The catalogues that the device had with the last version. It goes without one until the next connection if this fails.
    for (const path of await catalogues()) await cache.add(path).catch(() => {});
}

/** The addresses of the catalogues that are stored with any version, in this one. */
async function catalogues() {
    const paths = new Set();
    for (const name of await caches.keys()) {
        for (const { url } of name.startsWith('trolley-') ? await (await caches.open(name)).keys() : []) {
            const [, file] = url.match(/\/catalogue\/([a-z]+\.txt)$/) ?? [];
            if (file) paths.add(`/app/${VERSION}/catalogue/${file}`);
        }
    }
    return paths;
}

self.addEventListener('activate', event => {
    event.waitUntil((async () => {
        for (const name of await caches.keys()) if (name.startsWith('trolley-') && name !== CACHE) await caches.delete(name);
        await self.clients.claim();
    })());
});

/** Ends the requests of a version that is to go. */
let handingOver = new AbortController();

self.addEventListener('message', event => {
    if (event.data === 'take over') self.skipWaiting();
    if (event.data !== 'hand over') return;
    // A request without an answer would keep the next version waiting. Until that takes over, pages may ask for more.
    handingOver.abort();
    handingOver = new AbortController();
});

self.addEventListener('fetch', event => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method === 'POST' && url.origin === location.origin && url.pathname === '/share') return event.respondWith(takeShared(request));
    if (request.method !== 'GET' || url.origin !== location.origin) return;
    const isPage = request.mode === 'navigate' && (url.pathname === '/' || url.pathname === '/join');
    if (isPage) event.respondWith(stored('/', event));
    else if (url.pathname.startsWith('/app/')) event.respondWith(stored(url.pathname, event));
});

/** What the cache has of a path, if that is whole: a power cut may take files from a browser's cache, or parts of them. */
async function stored(path, event) {
    const found = await whole(path);
    if (found) return found;
    const isLost = PATHS.includes(path);
    if (isLost) event.waitUntil(repairing ??= repair().catch(() => {}).finally(() => repairing = null));
    // The browser's other cache was on the same disk.
    return fetch(event.request, { signal: handingOver.signal, cache: isLost ? 'reload' : event.request.cache });
}

async function whole(path) {
    try {
        const found = await (await caches.open(CACHE)).match(path);
        if (!found) return null;
        const hash = found.headers.get(HASH);
        // What the page stores itself, the catalogue's files, has no hash.
        return !hash || hash === await hashOf(await found.clone().arrayBuffer()) ? found : null;
    } catch {
        return null;
    }
}

/** Whether an answer is a file of this version: not another version's page, and no page of a network that asks people to sign in. */
async function isUsable(path, response) {
    if (!response.ok) return false;
    if (path === '/') return (await response.clone().text()).includes(`/app/${VERSION}/main.js`);
    const type = response.headers.get('content-type') ?? '';
    // Browsers run no module of another type.
    return path.endsWith('.js') ? /javascript/i.test(type) : !/^text\/html/i.test(type);
}

/** A file as it came, with its hash. */
async function marked(response) {
    const bytes = await response.arrayBuffer(), headers = new Headers(response.headers);
    headers.set(HASH, await hashOf(bytes));
    return new Response(bytes, { headers });
}

async function hashOf(bytes) {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
}

let repairing = null;

/** Stores again whatever the cache has lost. What can't be had stays as it is. */
async function repair() {
    // From before: a repair that comes to its next file after the version has handed over ends there.
    const { signal } = handingOver, cache = await caches.open(CACHE);
    for (const path of PATHS) {
        if (await whole(path)) continue;
        const response = await fetch(path, { signal, cache: 'reload' }).catch(() => null);
        if (signal.aborted) return;
        if (!response) continue;
        if (await isUsable(path, response)) await cache.put(path, await marked(response));
        // The next visit loads the other version's page, which has all of its files.
        else if (response.status === 404 && await isReplaced(signal)) return cache.delete('/');
    }
}

/** Whether the service has another version by now. One 404 doesn't say so: a file may be missing for a moment, or only at a proxy. */
async function isReplaced(signal) {
    const page = await fetch('/', { signal, cache: 'reload' });
    return page.ok && !await isUsable('/', page) && /\/app\/[^/]+\/main\.js/.test(await page.text());
}

// MARK: What other apps share

/** More than this is no list, in bytes: of a text, and of a file, which may be another program's export. */
const MOST_SHARED = 65_536;
const MOST_IN_FILE = 1_048_576;

/** What another app shares is stored until the page takes it, which is at once where somebody is signed in. */
async function takeShared(request) {
    const shared = { files: [], refused: [] };
    try {
        const data = await request.formData();
        for (const name of ['title', 'text', 'url']) if (data.get(name)) shared[name] = String(data.get(name));
        for (const file of data.getAll('files')) {
            const isTooLarge = file.size > MOST_IN_FILE, text = isTooLarge ? '' : await file.text();
            // A picture is no text, whatever its name says.
            if (isTooLarge || /[\0\uFFFD]/.test(text)) shared.refused.push({ name: file.name, reason: isTooLarge ? 'tooLarge' : 'noText' });
            else shared.files.push({ name: file.name, text });
        }
        if ((shared.text ?? '').length > MOST_SHARED) {
            shared.refused.push({ name: shared.title ?? '', reason: 'tooLarge' });
            delete shared.text;
        }
    } catch {
        shared.refused.push({ name: '', reason: 'noText' });
    }
    await (await caches.open(CACHE)).put('/shared', new Response(JSON.stringify(shared)));
    return Response.redirect('/#/shared', 303);
}

// MARK: Notices

self.addEventListener('push', event => event.waitUntil(notify(event)));

self.addEventListener('notificationclick', event => {
    event.notification.close();
    event.waitUntil(openApp(event.notification.data?.navigate));
});

self.addEventListener('pushsubscriptionchange', event => event.waitUntil(resubscribe(event)));

/** Each push shows a notice, even one that can't be read: browsers end subscriptions whose pushes show nothing. */
async function notify(event) {
    // The browser shows the declarative form itself where it knows it; then there is no event, or one with the notification.
    if (!event.notification) {
        const { title, lang, tag, navigate } = read(event.data);
        await self.registration.showNotification(String(title ?? 'Trolley'), {
            ...(lang && { lang }), ...(tag && { tag }), icon: `/app/${VERSION}/icons/icon-192.png`, data: { navigate },
        });
    }
    const open = await pages();
    for (const page of open) page.postMessage({ type: 'pushed' });
    // A page in the background may be frozen. If this fails, the page fetches when it opens.
    if (!open.some(page => page.visibilityState === 'visible')) await fetchAhead().catch(() => {});
    await self.navigator.setAppBadge?.((await self.registration.getNotifications()).length || 1);
}

function read(data) {
    try {
        return data.json().notification ?? {};
    } catch {
        return {};
    }
}

const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

async function openApp(address) {
    // A notice opens nothing but the app.
    const target = String(address).startsWith(`${location.origin}/`) ? address : `${location.origin}/`;
    const open = await pages();
    const page = open.find(one => one.focused) ?? open.find(one => one.visibilityState === 'visible') ?? open[0];
    if (!page) return self.clients.openWindow(target);
    await page.focus().catch(() => {});
    // Within the open page only the fragment changes.
    return page.navigate(target).catch(() => self.clients.openWindow(target));
}

/** The browser has replaced its subscription. If it fails here, the page does it when it opens. */
async function resubscribe(event) {
    const chosen = await kept('push');
    if (!chosen) return;
    const subscription = event.newSubscription ?? await self.registration.pushManager.subscribe(
        event.oldSubscription?.options ?? { userVisibleOnly: true, applicationServerKey: (await (await fetch('/v1/push/key')).json()).publicKey });
    const { endpoint, keys } = subscription.toJSON();
    await fetch('/v1/push/subscription', {
        method: 'PUT', credentials: 'same-origin', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ endpoint, keys, content: chosen.content, language: chosen.language }),
    });
}

/** Asks for what is new and stores the answer: the page takes it in when it opens, even without a signal (device/ahead.js). */
async function fetchAhead() {
    const [session, protocolVersion] = await Promise.all([kept('session'), kept('protocol')]);
    const [lists, unconfirmed] = await Promise.all([records('lists', store => store.getAll()), records('pending', store => store.count())]);
    // With own changes that wait, only the page can say what the device holds back.
    if (!session || !protocolVersion || !lists || unconfirmed !== 0) return;
    const sent = {
        protocolVersion, report: { upload: {}, toApply: {}, held: {}, failures: [] },
        tokens: Object.fromEntries(lists.filter(row => !row.local && row.token).map(row => [row.id, row.token])),
    };
    const answer = await fetch('/v1/changes', {
        signal: handingOver.signal, method: 'POST', credentials: 'same-origin', cache: 'no-store', redirect: 'error',
        headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent),
    });
    if (!answer.ok) return;
    const ahead = { account: session.account.id, sent, response: await answer.json() };
    await (await caches.open(CACHE)).put('/ahead', new Response(JSON.stringify(ahead)));
}

/** What the device has stored in `meta`; null if there is nothing. */
const kept = key => records('meta', store => store.get(key));

/** The result of a request to one of the device's stores; null if there is none. */
function records(name, ask) {
    return new Promise(resolve => {
        const opening = indexedDB.open('trolley');
        // There is no database, and none is made here.
        opening.onupgradeneeded = () => opening.transaction.abort();
        opening.onerror = () => resolve(null);
        opening.onsuccess = () => {
            const database = opening.result;
            const reading = ask(database.transaction(name).objectStore(name));
            reading.onsuccess = reading.onerror = () => {
                database.close();
                resolve(reading.result ?? null);
            };
        };
    });
}
