// A new list, and the name and colour of an old one.

import { h, icon } from '../dom.js';
import { t } from '../text.js';
import { go } from './back.js';
import { COLOURS, paint } from './colours.js';
import { open } from './shell.js';
import { field, form, sheet } from './sheet.js';

export function show(shell) {
    const first = COLOURS[shell.device.rows.size % COLOURS.length];
    const dialog = sheet(t('lists.new'), form(t('newList.make'), async ({ name, colour }) => {
        const id = await shell.device.makeList(name.trim(), colour);
        dialog.close();
        shell.typesIn = id;
        go(`#/list/${id}`);
    }, field(t('list.name'), 'name', { required: true, autocomplete: 'off', placeholder: t('newList.example') }),
    colours(first)), h('button.menu-item', { onclick: () => { dialog.close(); open('imports', shell); } }, icon('copy'), t('import.open')));
    dialog.querySelector('input').focus();
}

export function colours(chosen) {
    return h('fieldset.colours', {}, h('legend', {}, t('list.colour')), COLOURS.map(colour =>
        paint(h('label', { title: t(`colour.${colour}`) },
            h('input', { type: 'radio', name: 'colour', value: colour, checked: colour === chosen, 'aria-label': t(`colour.${colour}`) }),
            h('span.swatch', {})), colour)));
}
