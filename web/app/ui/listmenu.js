// The actions on a whole list.

import { isArchived, isPinned } from '../device/places.js';
import { h, icon } from '../dom.js';
import { addTexts, language, names, t } from '../text.js';
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
        screen.canEdit && ['copy', t('import.open'), () => open('imports', shell, screen)],
        ['list', t('list.settings'), () => settings(shell, screen)],
    ]);
}

async function settings(shell, screen) {
    for (const sheet of ['own', 'details']) addTexts((await import(`../text/${sheet}.${language}.js`)).default);
    const { state, row } = screen;
    const isMine = await shell.device.isOwn(row);
    const dialog = menu(t('list.settings'), [
        screen.canEdit && ['edit', t('list.rename'), () => rename(screen)],
        screen.canEdit && ['tag', t('list.aisles'), () => open('aisles', shell, screen)],
        screen.canEdit && ['cart', t('shops.title'), () => open('shops', shell, screen)],
        ['pin', t(isPinned(row) ? 'list.unpin' : 'list.pin'), () => keepAs(shell, screen, { pinned: !isPinned(row) })],
        ['box', t(isArchived(row) ? 'list.unarchive' : 'list.archive'), () => keepAs(shell, screen, { archived: !isArchived(row) })],
        row.published && !row.local && ['bell', t('notices.list'), () => open('notices', shell, screen)],
        ['share', t('list.out'), () => giveOut(state)],
        ['trash', isMine ? t('list.delete') : t('list.leave'), () => leave(shell, screen), 0, '.danger'],
    ]);
    dialog.body.prepend(h('label.told', {}, h('input', {
        type: 'checkbox', checked: shell.device.usesLearnedOrder, onchange: event => shell.device.setUsesLearnedOrder(event.target.checked),
    }), h('span.words', {}, t('order.learned'), h('span.sub', {}, t('order.learned.hint')))));
}

/** The list for people who don't have it. */
const giveOut = state => menu(t('list.out'), [
    ['copy', t('list.copy'), () => copy(asText(state))],
    navigator.share && ['share', t('list.send'), () => send(state)],
    ['list', t('list.print'), () => print()],
]);

/** A sheet with actions, at most eight: icon, label, work, and what waits there. @returns the sheet */
function menu(title, entries) {
    const dialog = sheet(title, h('div.menu', {}, entries.filter(Boolean).map(([name, label, work, count = 0, extra = '']) =>
        h(`button.menu-item${extra}`, { onclick: () => { dialog.close(); work(); } }, icon(name), label,
            count > 0 && h('span.badge', { 'aria-label': t('talk.unheard', { n: count }) }, String(count))))));
    return dialog;
}

/** Pins the list, or puts it away. */
async function keepAs(shell, screen, change) {
    const { arrange } = await import('../device/arranging.js');
    if (await arrange(shell.device, new Map([[screen.id, change]])) && change.archived) {
        go('');
        toast(t('list.archived', { name: screen.state.name || t('list.unnamed') }), {
            action: t('undo'), onaction: () => arrange(shell.device, new Map([[screen.id, { archived: false }]])),
        });
    }
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

const asText = state => state.items.map(item =>
    `- [${item.markedOff ? 'x' : ' '}] ${item.text}${item.fields.quantity ? `, ${item.fields.quantity}` : ''}`).join('\n');

/** By the system's sheet. */
async function send(state) {
    await navigator.share({ title: state.name ?? '', text: `${state.name ?? ''}\n${asText(state)}` }).catch(error => {
        // The person has closed it.
        if (error.name !== 'AbortError') toast(explain(error), { isError: true });
    });
}

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
