// The status button: in step, waiting, offline, refused changes, or an error.

import { fill, h, icon } from '../dom.js';
import { t, time } from '../text.js';

/** The text for the device's progress. @returns {{icon: string, text: string, tone: string}} */
export function standing(device) {
    const { progress, pace, refused } = device;
    if (device.isAlone) return { icon: 'list', text: t('lists.local'), tone: 'off' };
    const n = progress.queued ?? 0;
    const waiting = (name, key, tone, values) => ({
        icon: name, text: n ? t('status.andWaiting', { status: t(key), n }) : t(values ? `${key}.since` : key, values), tone,
    });
    switch (progress.type) {
    case 'sending': return { icon: 'cloud', text: t('status.sending', { n: Math.max(1, progress.of - progress.done) }), tone: 'busy' };
    case 'queued': return { icon: 'clock', text: t('status.waiting', { n }), tone: 'busy' };
    case 'waiting': case 'blocked':
        switch (failureOf(device)) {
        case 'notAuthenticated': case 'notSignedIn': return { icon: 'alert', text: t('status.signedOut'), tone: 'bad' };
        case 'incompatibleVersion': return { icon: 'alert', text: t('status.old'), tone: 'bad' };
        case 'store': return { icon: 'alert', text: t('status.storage'), tone: 'bad' };
        case 'unreachable': case undefined:
            return waiting('off', 'status.offline', 'off', pace.failingSince && { time: time(pace.failingSince) });
        case 'notUnderstood': return waiting('off', 'status.intercepted', 'off');
        case 'zoneBusy': case 'serviceUnavailable': case 'requestRateLimited': return waiting('clock', 'status.busy', 'off');
        // The service won't take it as it is.
        default: return waiting('alert', progress.type === 'blocked' ? 'status.notTaken' : 'status.fault', 'bad');
        }
    default:
        if (!navigator.onLine) return { icon: 'off', text: t('status.offline'), tone: 'off' };
        if (refused) return { icon: 'alert', text: t('status.refused', { n: refused }), tone: 'bad' };
        if (!device.isInStep) return { icon: 'cloud', text: t('status.looking'), tone: 'busy' };
        return { icon: 'check', text: t('status.inStep'), tone: 'good' };
    }
}

/** The code of what keeps the device from syncing, if something does. */
export function failureOf({ progress: { type, failure }, pace }) {
    if (type !== 'waiting' && type !== 'blocked') return undefined;
    // While the device waits for its next try, only the retry state has the reason.
    return failure?.problem?.code ?? failure?.reason ?? pace.lately?.[0]?.code;
}

/**
 * A button with the status. It opens the status sheet.
 * @param {Device} device
 * @param {() => void} onclick
 * @param {AbortSignal} signal  when the button goes
 */
export function statusButton(device, onclick, signal) {
    const button = h('button.status', { onclick });
    const render = () => {
        const { icon: name, text, tone } = standing(device);
        if (button.dataset.text === text && button.dataset.tone === tone) return;
        Object.assign(button.dataset, { text, tone });
        button.setAttribute('aria-label', t('status.label', { status: text }));
        fill(button, icon(name), h('span', {}, text));
    };
    device.addEventListener('progress', render, { signal });
    addEventListener('online', render, { signal });
    addEventListener('offline', render, { signal });
    render();
    return button;
}
