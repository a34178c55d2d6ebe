// The person's name and the colour of their picture, as others see them.

import { call } from '../device/transport.js';
import { h } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { COLOURS, paint } from './colours.js';
import { field, form, saveWith, sheet, toast } from './sheet.js';

export async function show(shell) {
    addTexts((await import(`../text/own.${language}.js`)).default);
    const { device } = shell, { account } = device.session;
    const choice = (value, label, swatch) => h('label', { title: label },
        h('input', { type: 'radio', name: 'colour', value, checked: value === (account.colour ?? ''), 'aria-label': label }), swatch);
    const changing = form(t('sheet.save'), async ({ name, colour }) => {
        await device.noteAccount(await call('PATCH', 'account', { name: name.trim(), colour: colour ?? '' }));
        dialog.close();
        device.emit('session');
        toast(t('profile.saved'));
    }, field(t('name'), 'name', { required: true, limit: 100, value: account.name, autocomplete: 'given-name' }, t('profile.hint')),
    h('fieldset.colours', {}, h('legend', {}, t('profile.colour')), choice('', t('profile.colour.any'), h('span.swatch.any', { 'aria-hidden': 'true' }, '?')),
        COLOURS.map(colour => paint(choice(colour, t(`colour.${colour}`), h('span.swatch', {})), colour))));
    const dialog = sheet(t('account.profile'), changing);
    saveWith(dialog, () => changing.requestSubmit());
}
