// The status button: in step, waiting, offline, or an error.

import { fill, h, icon } from '../dom.js';
import { t, time } from '../text.js';

/** The text for the device's progress. @returns {{icon: string, text: string, tone: string}} */
export function standing(device) {
    const { progress, pace } = device;
    const n = progress.queued ?? 0;
    switch (progress.type) {
    case 'sending': return { icon: 'cloud', text: t('status.sending', { n: Math.max(1, progress.of - progress.done) }), tone: 'busy' };
    case 'queued': return { icon: 'clock', text: t('status.waiting', { n }), tone: 'busy' };
    case 'waiting': case 'blocked': {
        const code = progress.failure?.problem?.code ?? progress.failure?.reason;
        if (code === 'notAuthenticated' || code === 'notSignedIn') return { icon: 'alert', text: t('status.signedOut'), tone: 'bad' };
        if (code === 'incompatibleVersion') return { icon: 'alert', text: t('status.old'), tone: 'bad' };
        if (code === 'store') return { icon: 'alert', text: t('status.storage'), tone: 'bad' };
        const since = pace.failingSince ? time(pace.failingSince) : '';
        const text = n ? t('status.offline.waiting', { n, time: since }) : t('status.offline', { time: since });
        return { icon: 'off', text, tone: 'off' };
    }
    default:
        if (!navigator.onLine) return { icon: 'off', text: t('status.offline.plain'), tone: 'off' };
        return { icon: 'check', text: t('status.inStep'), tone: 'good' };
    }
}

/** A button with the status. It opens the status sheet. */
export function statusButton(device, onclick) {
    const button = h('button.status', { onclick });
    const render = () => {
        const { icon: name, text, tone } = standing(device);
        if (button.dataset.text === text && button.dataset.tone === tone) return;
        Object.assign(button.dataset, { text, tone });
        button.setAttribute('aria-label', t('status.label', { status: text }));
        fill(button, icon(name), h('span', {}, text));
    };
    device.addEventListener('progress', render);
    addEventListener('online', render);
    addEventListener('offline', render);
    render();
    return button;
}
