// Notices while the app is closed (Web Push): this browser's subscription, at its push service and at the service.

import { fromBase64url } from './bytes.js';
import { call } from './transport.js';

/** The service gets the subscription again after this time, in milliseconds, because it may have lost it. */
const RENEW_AFTER = 86_400_000;

/**
 * Whether this browser can show notices.
 * @returns {'yes' | 'denied' | 'install' | 'no'}  'denied': the person refuses them in the browser's settings; 'install': only
 *   the app on the home screen can (iPhone and iPad)
 */
export function ability() {
    if (!navigator.serviceWorker || !globalThis.PushManager || !globalThis.Notification) {
        return navigator.standalone === false ? 'install' : 'no';
    }
    return Notification.permission === 'denied' ? 'denied' : 'yes';
}

/** What the person has chosen on this device; null: no notices. */
export async function chosen(device) {
    const kept = await device.store.kept('push');
    return kept && ability() === 'yes' && Notification.permission === 'granted' ? kept : null;
}

/** Switches notices on, in a tap, because the browser asks for permission. @param {boolean} content  whether they say what happened */
export async function subscribe(device, content) {
    const permission = await Notification.requestPermission();
    if (permission !== 'granted') throw failed(permission === 'denied' ? 'noticesDenied' : 'noticesNotAllowed');
    await register(device, content);
    keepSubscribed(device);
}

/** Switches notices off, at the service and in the browser. */
export async function unsubscribe(device) {
    await call('DELETE', 'push/subscription');
    await device.store.keep('push', () => null);
    await forget();
}

/** Removes what the browser has: its subscription, notices on the screen, the badge. */
export async function forget() {
    const registration = await navigator.serviceWorker?.getRegistration();
    await (await registration?.pushManager?.getSubscription())?.unsubscribe();
    for (const notice of await registration?.getNotifications?.() ?? []) notice.close();
    await navigator.clearAppBadge?.();
}

let isKept = false;

/** Renews the subscription when it has changed, syncs at each push, and keeps badge and notices in step with what is read. */
export function keepSubscribed(device) {
    if (isKept) return;
    isKept = true;
    const again = () => renew(device).catch(() => { /* The next start tries again. */ });
    navigator.serviceWorker.addEventListener('message', ({ data }) => data?.type === 'pushed' && device.sync('push'));
    device.addEventListener('session', again);
    for (const type of ['lists', 'list']) device.addEventListener(type, () => showUnreadSoon(device));
    document.addEventListener('visibilitychange', () => showUnreadSoon(device));
    showUnreadSoon(device);
    again();
}

async function renew(device) {
    const kept = await chosen(device);
    if (!kept || !device.session) return;
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscription = await pushManager.getSubscription();
    const isKnown = subscription?.endpoint === kept.endpoint && device.language === kept.language
        && device.session.device.id === kept.device && Date.now() - kept.at < RENEW_AFTER;
    if (!isKnown) await register(device, kept.content);
}

async function register(device, content) {
    if (!await navigator.serviceWorker.getRegistration()) throw failed('noticesFailed');
    const { pushManager } = await navigator.serviceWorker.ready;
    const key = fromBase64url((await call('GET', 'push/key')).publicKey);
    let subscription = await pushManager.getSubscription();
    if (subscription && !isSame(key, subscription.options?.applicationServerKey)) {
        // Another service was at this address.
        await subscription.unsubscribe();
        subscription = null;
    }
    try {
        subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    } catch (error) {
        console.info('no subscription', error);
        throw failed('noticesFailed');
    }
    const { endpoint, keys } = subscription.toJSON();
    await call('PUT', 'push/subscription', { endpoint, keys, content, language: device.language });
    const chosen = { content, endpoint, language: device.language, device: device.session.device.id, at: Date.now() };
    await device.store.keep('push', () => chosen);
}

const failed = code => Object.assign(new Error(code), { code });

/** Browsers that don't tell the key have one subscription for a worker, with the key that it was made with. */
const isSame = (key, other) => !other || String(new Uint8Array(other)) === String(key);

let timer = null;
function showUnreadSoon(device) { timer ??= setTimeout(() => { timer = null; showUnread(device).catch(() => {}); }, 300); }

async function showUnread(device) {
    const unread = [...device.rows.values()].reduce((sum, row) => sum + (row.unread ?? 0), 0);
    await (unread ? navigator.setAppBadge?.(unread) : navigator.clearAppBadge?.());
    if (document.hidden) return;
    const registration = await navigator.serviceWorker.getRegistration();
    for (const notice of await registration?.getNotifications() ?? []) if (device.shownLists.has(notice.tag)) notice.close();
}
