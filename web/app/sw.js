// Caches one complete version of the app. It leaves requests below /v1 alone, because the device stores its data itself.

const VERSION = '__VERSION__';
const CACHE = `trolley-${VERSION}`;
const FILES = __FILES__.map(file => `/app/${VERSION}/${file}`);

self.addEventListener('install', event => {
    event.waitUntil(caches.open(CACHE).then(cache => cache.addAll([...FILES, new Request('/', { cache: 'reload' })])));
});

self.addEventListener('activate', event => {
    event.waitUntil((async () => {
        for (const name of await caches.keys()) if (name.startsWith('trolley-') && name !== CACHE) await caches.delete(name);
        await self.clients.claim();
    })());
});

self.addEventListener('message', event => {
    if (event.data === 'take over') self.skipWaiting();
});

self.addEventListener('fetch', event => {
    const { request } = event;
    const url = new URL(request.url);
    if (request.method !== 'GET' || url.origin !== location.origin) return;
    const isPage = request.mode === 'navigate' && (url.pathname === '/' || url.pathname === '/join');
    if (isPage) event.respondWith(stored('/', request));
    else if (url.pathname.startsWith('/app/')) event.respondWith(stored(request, request));
});

async function stored(key, request) {
    const cache = await caches.open(CACHE);
    return (await cache.match(key)) ?? fetch(request);
}
