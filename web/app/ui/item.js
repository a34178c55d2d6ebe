// One item: text, quantity, note, aisle.

import { h, icon } from '../dom.js';
import { t } from '../text.js';
import { open } from './shell.js';
import { field, sheet } from './sheet.js';

export function show(shell, screen, item) {
    const { fields } = item;
    const aisles = [...new Set([...(screen.state.aisles ?? []), ...screen.state.items.map(other => other.fields.aisle)])]
        .filter(aisle => typeof aisle === 'string' && aisle);
    const canEdit = screen.canEdit;
    const inputs = {
        text: field(t('item.text'), 'text', { value: item.text, required: true, maxlength: 2000, autocomplete: 'off', readonly: !canEdit }),
        quantity: field(t('item.quantity'), 'quantity', {
            value: fields.quantity ?? '', maxlength: 200, autocomplete: 'off', placeholder: t('item.quantity.example'), readonly: !canEdit,
        }),
        note: field(t('item.note'), 'note', { rows: 2, maxlength: 2000, readonly: !canEdit }),
        aisle: field(t('item.aisle'), 'aisle', {
            value: fields.aisle ?? '', maxlength: 200, autocomplete: 'off', list: 'aisles', placeholder: t('item.aisle.example'), readonly: !canEdit,
        }),
    };
    inputs.note.querySelector('textarea').value = fields.note ?? '';
    const dialog = sheet(item.text,
        h('form.form', { novalidate: true, onsubmit: event => { event.preventDefault(); dialog.close(); } },
            inputs.text, h('div.pair', {}, inputs.quantity, inputs.aisle), inputs.note,
            h('datalist', { id: 'aisles' }, aisles.map(aisle => h('option', { value: aisle }))),
            h('div.actions.spread', {},
                canEdit && h('button.quiet.danger', {
                    'aria-label': t('delete'), title: t('delete'),
                    onclick: () => { changed = () => ({}); dialog.close(); screen.remove(item); },
                }, icon('trash')),
                h('button.quiet', {
                    'aria-label': t('talk.about', { text: item.text }), title: t('talk.about', { text: item.text }),
                    onclick: () => { dialog.close(); open('messages', shell, screen, item); },
                }, icon('talk')),
                h('button.quiet', {
                    'aria-label': t('item.history'), title: t('item.history'),
                    onclick: () => { dialog.close(); open('activity', shell, screen.id, item); },
                }, icon('clock')),
                submit())));
    let changed = () => {
        const values = {};
        for (const [key, element] of Object.entries(inputs)) {
            const value = element.querySelector('input, textarea').value.trim();
            if (value === (fields[key] ?? '')) continue;
            if (key === 'text' && !value) continue;
            values[key] = value || null;
        }
        return values;
    };
    screen.look(item.id);
    dialog.addEventListener('input', () => screen.type(item.id));
    dialog.addEventListener('close', () => {
        screen.look();
        const values = changed();
        if (canEdit && Object.keys(values).length) screen.edit(item.id, values);
    });
}

function submit() {
    const button = h('button.primary', {}, t('done'));
    button.type = 'submit';
    return button;
}
