// The page without the app: storage that is refused or damaged, a module that can't be loaded.

import { fill, h } from '../dom.js';
import { has, t } from '../text.js';

/** @param {string} kind  'full', 'refused', 'newer', 'damaged', 'module' or 'unknown' */
export function showFailure(kind, device, detail) {
    const key = has(`failure.${kind}`) ? `failure.${kind}` : 'failure.unknown';
    const actions = [h('button.primary', { onclick: () => location.reload() }, t('failure.again'))];
    if ((kind === 'damaged' || kind === 'unknown') && device) {
        actions.push(h('button.quiet', {
            onclick: async () => {
                await device.store.database.destroy();
                location.reload();
            },
        }, t('failure.startOver')));
    }
    fill(document.getElementById('app'), h('main.splash', { role: 'alert' },
        h('h1', {}, t('failure.title')), h('p', {}, t(key)), detail && h('p.hint', {}, detail),
        h('div.actions', {}, ...actions)));
}
