// What the person wants to be told: on this device, and of a list.

import { ability, chosen, subscribe, unsubscribe } from '../device/push.js';
import { call } from '../device/transport.js';
import { fill, h, icon } from '../dom.js';
import { t } from '../text.js';
import { explain, sheet } from './sheet.js';

const LEVELS = ['all', 'summaries', 'nothing'];

/** The part of the account's sheet about this device. */
export async function showDevice(place, device, problem) {
    const can = ability(), kept = await chosen(device);
    const attempt = async work => {
        for (const input of place.querySelectorAll('input')) input.disabled = true;
        await showDevice(place, device, await work().then(() => '', explain));
        place.querySelector('input')?.focus();
    };
    const isOn = toggle('checkbox', 'notices', t('notices.device'), !!kept, checked => attempt(() =>
        checked ? subscribe(device, kept?.content ?? false) : unsubscribe(device)));
    const content = toggle('checkbox', 'content', t('notices.content'), kept?.content, checked => attempt(() =>
        subscribe(device, checked)));
    isOn.firstChild.disabled = can !== 'yes';
    content.firstChild.disabled = !kept;
    fill(place, isOn, content, problem && h('p.problem', { role: 'alert' }, problem),
        h('p.hint', {}, t(can === 'yes' ? 'notices.hint' : `notices.${can}`)));
}

/** A sheet with what the person wants to be told of a list, on all devices. */
export async function show(shell, screen) {
    const path = `lists/${screen.id}/notifications`;
    const group = h('div', { role: 'radiogroup', 'aria-label': t('notices.list') }), hint = h('p.hint');
    const problem = h('p.problem', { role: 'alert', hidden: true });
    const dialog = sheet(t('notices.list'), group, problem, hint);
    const fail = error => { fill(problem, explain(error)).hidden = false; };
    try {
        const { level } = await call('GET', path);
        fill(group, LEVELS.map(each => toggle('radio', 'level', t(`notices.${each}`), each === level, () => {
            problem.hidden = true;
            call('PUT', path, { level: each }).catch(fail);
        })));
        fill(hint, t(await chosen(shell.device) ? 'notices.here' : 'notices.off'));
    } catch (error) {
        fill(dialog.body, h('p.note', { role: 'alert' }, icon('alert'), explain(error)));
    }
}

const toggle = (type, name, label, checked, onchange) => h('label.told', {}, h('input', {
    type, name, checked, onchange: event => onchange(event.target.checked),
}), label);
