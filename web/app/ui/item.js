// One item: text, quantity, note, aisle.

import { h, icon, iconButton, set } from '../dom.js';
import { t } from '../text.js';
import { open } from './shell.js';
import { field, saveWith, sheet } from './sheet.js';

export function show(shell, screen, item) {
    const { fields } = item;
    const aisles = [...new Set([...(screen.state.aisles ?? []), ...screen.state.items.map(other => other.fields.aisle)])]
        .filter(aisle => typeof aisle === 'string' && aisle);
    const canEdit = screen.canEdit;
    const inputs = {
        text: field(t('item.text'), 'text', { value: item.text, required: true, autocomplete: 'off', readonly: !canEdit }),
        quantity: field(t('item.quantity'), 'quantity', {
            value: fields.quantity ?? '', autocomplete: 'off', placeholder: t('item.quantity.example'), readonly: !canEdit,
        }),
        note: field(t('item.note'), 'note', { rows: 2, readonly: !canEdit }),
        aisle: field(t('item.aisle'), 'aisle', {
            value: fields.aisle ?? '', autocomplete: 'off', list: 'aisles', placeholder: t('item.aisle.example'), readonly: !canEdit,
        }),
    };
    inputs.note.querySelector('textarea').value = fields.note ?? '';
    const dialog = sheet(item.text,
        h('form.form', { novalidate: true, onsubmit: event => { event.preventDefault(); save(); } },
            inputs.text, h('div.pair', {}, inputs.quantity, inputs.aisle), inputs.note, canEdit && moves(),
            h('datalist', { id: 'aisles' }, aisles.map(aisle => h('option', { value: aisle }))),
            h('div.actions.spread', {},
                canEdit && h('button.quiet.danger', {
                    'aria-label': t('delete'), title: t('delete'),
                    onclick: () => { dialog.close(); screen.changes.remove(item); },
                }, icon('trash')),
                h('button.quiet', {
                    'aria-label': t('talk.about', { text: item.text }), title: t('talk.about', { text: item.text }),
                    onclick: () => { dialog.close(); open('messages', shell, screen, item); },
                }, icon('talk')),
                h('button.quiet', {
                    'aria-label': t('item.history'), title: t('item.history'),
                    onclick: () => { dialog.close(); open('activity', shell, screen, item); },
                }, icon('clock')),
                submit())));
    if (canEdit) saveWith(dialog, save);
    else dialog.body.append(h('p.hint', {}, t('list.lookOnly')));
    function changed() {
        const values = {};
        for (const [key, element] of Object.entries(inputs)) {
            const value = element.querySelector('input, textarea').value.trim();
            if (value === (fields[key] ?? '')) continue;
            if (key === 'text' && !value) continue;
            values[key] = value || null;
        }
        return values;
    }
    /** The written text stays until it is saved. */
    async function save() {
        const values = changed();
        if (!canEdit || !Object.keys(values).length || await screen.changes.edit(item.id, values)) dialog.close();
    }
    screen.presence.look(item.id);
    dialog.addEventListener('input', () => screen.presence.type(item.id));
    dialog.addEventListener('close', () => screen.presence.look());

    /** Buttons for what else takes a drag. */
    function moves() {
        const buttons = [['up', -1], ['down', 1]].map(([name, step]) => iconButton(name, t(`row.${name}`, { text: item.text }), async () => {
            await screen.changes.moveBy(item, step);
            enable();
        }));
        const enable = () => {
            const isMovable = screen.changes.movable(item);
            buttons.forEach((button, index) => set(button, { 'aria-disabled': !isMovable[index] }));
        };
        enable();
        return h('div.moves', { role: 'group', 'aria-label': t('item.place') }, h('span', {}, t('item.place')), buttons);
    }
}

function submit() {
    const button = h('button.primary', {}, t('done'));
    button.type = 'submit';
    return button;
}
