// Arranging one's lists: pinned, in an order of one's own, in the archive. It is nobody else's.

import { arrange, move, neighbours } from '../device/arranging.js';
import { inOrder, isArchived, isPinned } from '../device/places.js';
import { fill, h, iconButton } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { paint } from './colours.js';
import { sheet } from './sheet.js';

export async function show(shell) {
    addTexts((await import(`../text/own.${language}.js`)).default);
    const { device } = shell, list = h('ul.people.arranged');
    const dialog = sheet(t('lists.arrange'), h('p.hint', {}, t('arrange.lead')), list);
    for (const event of ['lists', 'list']) {
        device.addEventListener(event, render);
        dialog.addEventListener('close', () => device.removeEventListener(event, render));
    }
    render();

    function render() {
        const rows = inOrder(device.rows.values());
        // The button keeps the focus when its list has moved.
        const { row: focused, act } = document.activeElement?.dataset ?? {};
        fill(list, rows.map(entry));
        const again = focused && list.querySelector(`[data-row="${focused}"][data-act="${act}"]`);
        if (again && !again.disabled) again.focus();
        else if (focused) list.querySelector(`[data-row="${focused}"]:not(:disabled)`)?.focus();
    }

    function entry(row) {
        const { id } = row, state = device.states.get(id), name = state?.name || t('list.unnamed');
        const beside = neighbours(device.rows.values(), row), index = beside.findIndex(other => other.id === id);
        const button = (act, picture, change, values) => iconButton(picture, t(`arrange.${act}`, { name }), change, {
            'data-row': id, 'data-act': act, ...values,
        });
        const set = part => arrange(device, new Map([[id, part]]));
        return paint(h('li', { 'data-id': id }, h('span.swatch', { 'aria-hidden': 'true' }),
            h('span.words', {}, h('span.text', { dir: 'auto' }, name), isArchived(row) && h('span.sub', {}, t('arrange.archived'))),
            button('pin', 'pin', () => set({ pinned: !isPinned(row) }), { 'aria-pressed': String(isPinned(row)) }),
            button('up', 'up', () => move(device, id, -1), { disabled: index === 0 }),
            button('down', 'down', () => move(device, id, 1), { disabled: index === beside.length - 1 }),
            button('archive', 'box', () => set({ archived: !isArchived(row) }), { 'aria-pressed': String(isArchived(row)) })), state?.colour);
    }
}
