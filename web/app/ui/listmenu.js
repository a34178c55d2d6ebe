// The actions on a whole list.

import { keyOf } from '../device/keys.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { names, t } from '../text.js';
import { go } from './back.js';
import { copy } from './copy.js';
import { colours } from './newlist.js';
import { nameOf, others } from './people.js';
import { open } from './shell.js';
import { ask, explain, field, form, saveWith, sheet, toast } from './sheet.js';

export function show(shell, screen) {
    const n = screen.state.items.filter(item => item.markedOff).length;
    menu(screen.state.name || t('list.unnamed'), [
        ['people', t('share'), () => open('share', shell, screen.id)],
        ['talk', t('talk.title'), () => open('messages', shell, screen), screen.unheard],
        ['search', t('list.search'), () => screen.toggleSearch()],
        screen.canEdit && ['redo', t('redo'), () => screen.changes.revert('redo')],
        screen.canEdit && n > 0 && ['sparkle', t('list.clear', { n }), () => screen.changes.clear()],
        ['clock', t('activity.title'), () => open('activity', shell, screen)],
        ['cart', t('trips.title'), () => open('trips', shell, screen)],
        ['list', t('list.settings'), () => settings(shell, screen)],
    ]);
}

async function settings(shell, screen) {
    const { state, row } = screen;
    const isMine = await shell.device.isOwn(row);
    const dialog = menu(t('list.settings'), [
        screen.canEdit && ['edit', t('list.rename'), () => rename(screen)],
        screen.canEdit && ['tag', t('list.aisles'), () => orderAisles(screen)],
        row.published && !row.local && ['bell', t('notices.list'), () => open('notices', shell, screen)],
        ['copy', t('list.copy'), () => copy(asText(state))],
        ['trash', isMine ? t('list.delete') : t('list.leave'), () => leave(shell, screen), 0, '.danger'],
    ]);
    dialog.body.prepend(h('label.told', {}, h('input', {
        type: 'checkbox', checked: shell.device.usesLearnedOrder, onchange: event => shell.device.setUsesLearnedOrder(event.target.checked),
    }), h('span.words', {}, t('order.learned'), h('span.sub', {}, t('order.learned.hint')))));
}

/** A sheet with actions: icon, label, work, and what waits there. @returns the sheet */
function menu(title, entries) {
    const dialog = sheet(title, h('div.menu', {}, entries.filter(Boolean).map(([name, label, work, count = 0, extra = '']) =>
        h(`button.menu-item${extra}`, { onclick: () => { dialog.close(); work(); } }, icon(name), label,
            count > 0 && h('span.badge', { 'aria-label': t('talk.unheard', { n: count }) }, String(count))))));
    return dialog;
}

function rename(screen) {
    const { state } = screen;
    const renaming = form(t('done'), async ({ name, colour }) => {
        const drafts = [];
        if (name.trim() !== (state.name ?? '')) drafts.push({ operation: 'renameList', fields: { text: name.trim() } });
        if (colour && colour !== state.colour) drafts.push({ operation: 'recolourList', fields: { text: colour } });
        if (await screen.changes.perform(drafts)) dialog.close();
    }, field(t('list.name'), 'name', { value: state.name ?? '', required: true, autocomplete: 'off' }), colours(state.colour ?? 'green'));
    const dialog = sheet(t('list.rename'), renaming);
    saveWith(dialog, () => renaming.requestSubmit());
}

function orderAisles(screen) {
    const { state } = screen;
    const aisles = [...(state.aisles ?? [])];
    for (const item of state.items) {
        const { aisle } = item.fields;
        if (aisle && !aisles.some(other => keyOf(other) === keyOf(aisle))) aisles.push(aisle);
    }
    if (!aisles.length) return toast(t('list.aisles.none'));
    const list = h('ol.order', {});
    const draw = focus => {
        fill(list, aisles.map((aisle, index) => h('li', {}, h('span', { dir: 'auto' }, aisle),
            iconButton('up', t('row.up', { text: aisle }), () => swap(index, -1), { disabled: index === 0 }),
            iconButton('down', t('row.down', { text: aisle }), () => swap(index, 1), { disabled: index === aisles.length - 1 }))));
        if (focus) (list.children[focus[0]].children[focus[1]].disabled ? list.querySelector('button:not(:disabled)') : list.children[focus[0]].children[focus[1]]).focus();
    };
    const swap = (index, step) => {
        [aisles[index], aisles[index + step]] = [aisles[index + step], aisles[index]];
        draw([index + step, step < 0 ? 1 : 2]);
    };
    draw();
    const before = (state.aisles ?? []).join('\n'), shown = aisles.join('\n');
    const dialog = sheet(t('list.aisles'), h('p.hint', {}, t('list.aisles.hint')), list,
        h('div.actions', {}, h('button.primary', { onclick: save }, t('done'))));
    saveWith(dialog, save, { isChanged: () => aisles.join('\n') !== shown });
    async function save() {
        const order = aisles.join('\n');
        if (order === before || await screen.changes.perform([{ operation: 'recolourList', fields: { aisles: order } }])) dialog.close();
    }
}

const asText = state => state.items.map(item =>
    `- [${item.markedOff ? 'x' : ' '}] ${item.text}${item.fields.quantity ? `, ${item.fields.quantity}` : ''}`).join('\n');

async function leave(shell, screen) {
    const isMine = await shell.device.isOwn(screen.row);
    const title = isMine ? t('list.delete') : t('list.leave'), name = screen.state.name ?? '';
    const people = others(screen.row, shell.device.session.account.id).map(nameOf);
    const text = !isMine ? t('list.leave.text', { name })
        : people.length ? t('list.delete.shared', { name, names: names(people) }) : t('list.delete.text', { name });
    if (!await ask(title, text, title, { isDangerous: true })) return;
    try {
        await shell.device.removeList(screen.id);
        go('');
    } catch (error) {
        toast(explain(error), { isError: true });
    }
}
