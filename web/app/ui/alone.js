// Lists on this device alone, before the person has an account; and the account that takes them along.

import { beginAlone } from '../device/alone.js';
// At hand where a list is made: the network may be gone by then.
import '../device/making.js';
import { h } from '../dom.js';
import { addTexts, LANGUAGES, language, t } from '../text.js';
import { go } from './back.js';
import { open } from './shell.js';
import { sheet } from './sheet.js';
import { account } from './welcome.js';

/** The first list, with what the person needs first. */
export async function begin(shell, need) {
    const { device } = shell;
    await beginAlone(device);
    const id = await device.makeList(t('list.first'));
    if (need.trim()) await device.add(id, need);
    shell.typesIn = id;
    device.emit('session');
    go(`#/list/${id}`);
}

/** What stands in the place of the account, and of all that needs one. */
export async function show(shell) {
    addTexts((await import(`../text/own.${language}.js`)).default);
    const { device } = shell;
    const dialog = sheet(t('alone.title'), h('p.hint', {}, t('alone.text')), ...account(shell, { secret: null, isNew: true }),
        h('div.menu', {}, h('button.menu-item', { onclick: () => { dialog.close(); open('help', shell); } }, t('help.title'))),
        h('div.field', {}, h('label', { for: 'alone-language' }, t('account.language')), h('select', {
            id: 'alone-language',
            onchange: async event => {
                await device.saveSettings({ language: event.target.value });
                location.reload();
            },
        }, Object.entries(LANGUAGES).map(([value, name]) => h('option', { value, selected: value === language }, name)))));
    const stop = new AbortController();
    dialog.addEventListener('close', () => stop.abort());
    device.addEventListener('session', () => dialog.close(), { signal: stop.signal });
}
