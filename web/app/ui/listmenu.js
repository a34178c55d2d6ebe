// The actions on a whole list.

import { keyOf } from '../device/keys.js';
import { isOwn } from '../device/storage/lost.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { t } from '../text.js';
import { copy } from './copy.js';
import { colours } from './newlist.js';
import { go, open } from './shell.js';
import { ask, explain, field, form, saveWith, sheet, toast } from './sheet.js';

export function show(shell, screen) {
    const { state, row } = screen;
    const finished = state.items.filter(item => item.markedOff);
    const entry = (name, label, work, extra = '') => h(`button.menu-item${extra}`, {
        onclick: () => { dialog.close(); work(); },
    }, icon(name), label);
    const dialog = sheet(state.name || t('list.unnamed'), h('div.menu', {},
        screen.canEdit && entry('edit', t('list.rename'), () => rename(screen)),
        screen.canEdit && entry('tag', t('list.aisles'), () => orderAisles(screen)),
        entry('people', t('share'), () => open('share', shell, screen.id)),
        entry('talk', t('talk.title'), () => open('messages', shell, screen)),
        screen.row.published && !screen.row.local && entry('bell', t('notices.list'), () => open('notices', shell, screen)),
        entry('clock', t('activity.title'), () => open('activity', shell, screen)),
        entry('cart', t('trips.title'), () => open('trips', shell, screen)),
        h('label.told', {}, h('input', {
            type: 'checkbox', checked: shell.device.usesLearnedOrder, onchange: event => shell.device.setUsesLearnedOrder(event.target.checked),
        }), h('span.words', {}, t('order.learned'), h('span.sub', {}, t('order.learned.hint')))),
        entry('copy', t('list.copy'), () => copy(asText(state))),
        entry('redo', t('redo'), () => screen.changes.revert('redo')),
        screen.canEdit && finished.length > 0 && entry('sparkle', t('list.clear', { n: finished.length }), async () => {
            const made = await screen.changes.perform(finished.map(item => ({ operation: 'delete', item: item.id })));
            if (made) screen.changes.offerUndo(t('list.cleared', { n: finished.length }), made[0]);
        }),
        entry('trash', isOwn(row, shell.device.session.account.id) ? t('list.delete') : t('list.leave'), () => leave(shell, screen), '.danger')));
}

function rename(screen) {
    const { state } = screen;
    const dialog = sheet(t('list.rename'), form(t('done'), async ({ name, colour }) => {
        const drafts = [];
        if (name.trim() !== (state.name ?? '')) drafts.push({ operation: 'renameList', fields: { text: name.trim() } });
        if (colour && colour !== state.colour) drafts.push({ operation: 'recolourList', fields: { text: colour } });
        if (await screen.changes.perform(drafts)) dialog.close();
    }, field(t('list.name'), 'name', { value: state.name ?? '', required: true, autocomplete: 'off' }), colours(state.colour ?? 'green')));
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
    const before = (state.aisles ?? []).join('\n');
    const dialog = sheet(t('list.aisles'), h('p.hint', {}, t('list.aisles.hint')), list,
        h('div.actions', {}, h('button.primary', { onclick: save }, t('done'))));
    saveWith(dialog, save);
    async function save() {
        const order = aisles.join('\n');
        if (order === before || await screen.changes.perform([{ operation: 'recolourList', fields: { aisles: order } }])) dialog.close();
    }
}

const asText = state => state.items.map(item =>
    `- [${item.markedOff ? 'x' : ' '}] ${item.text}${item.fields.quantity ? `, ${item.fields.quantity}` : ''}`).join('\n');

async function leave(shell, screen) {
    const isMine = isOwn(screen.row, shell.device.session.account.id);
    const title = isMine ? t('list.delete') : t('list.leave');
    if (!await ask(title, t(isMine ? 'list.delete.text' : 'list.leave.text', { name: screen.state.name ?? '' }), title, { isDangerous: true })) return;
    try {
        await shell.device.removeList(screen.id);
        go('');
    } catch (error) {
        toast(explain(error), { isError: true });
    }
}
