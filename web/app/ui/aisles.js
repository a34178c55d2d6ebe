// A list's aisles: their order, their names, and which of them are one.

import { keyOf } from '../device/keys.js';
import { fill, h, iconButton } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { explain, saveWith, sheet, toast } from './sheet.js';

export async function show(shell, screen) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    const { device, id, state } = screen;
    /** With the name that each has now. */
    const aisles = [];
    for (const aisle of [...(state.aisles ?? []), ...state.items.map(item => item.fields.aisle)]) {
        if (typeof aisle === 'string' && aisle && !aisles.some(({ was }) => keyOf(was) === keyOf(aisle))) aisles.push({ was: aisle, name: aisle });
    }
    if (!aisles.length) return toast(t('list.aisles.none'));
    const shown = JSON.stringify(aisles);
    let isSaving = false;
    const list = h('ol.order', {}), options = h('datalist', { id: 'aisle-names' });
    draw();
    const dialog = sheet(t('list.aisles'), h('p.hint', {}, t('list.aisles.hint')), list, options,
        h('div.actions', {}, h('button.primary', { onclick: save }, t('done'))));
    saveWith(dialog, save, { isChanged: () => JSON.stringify(aisles) !== shown });
    suggest();

    function draw(focused) {
        fill(list, aisles.map((aisle, index) => {
            const remark = h('p.hint', { id: `aisle-${index}`, role: 'status' });
            const tell = () => fill(remark, remarkOn(aisle));
            const input = h('input', {
                'aria-label': t('aisle.name', { aisle: aisle.was }), 'aria-describedby': remark.id, list: options.id, dir: 'auto', autocomplete: 'off',
                value: aisle.name, oninput: () => { aisle.name = input.value; tell(); },
            });
            tell();
            return h('li', {}, h('div.words', {}, input, remark),
                iconButton('up', t('row.up', { text: aisle.was }), () => swap(index, -1), { disabled: index === 0 }),
                iconButton('down', t('row.down', { text: aisle.was }), () => swap(index, 1), { disabled: index === aisles.length - 1 }));
        }));
        if (!focused) return;
        const button = list.children[focused[0]].children[focused[1]];
        (button.disabled ? list.querySelector('button:not(:disabled)') : button).focus();
    }

    /** What becomes of an aisle that gets the name of another one, or none. */
    function remarkOn(aisle) {
        const key = keyOf(aisle.name), other = aisles.find(one => one !== aisle && keyOf(one.name) === key);
        if (!key) return t('aisle.goes', { aisle: aisle.was });
        return other && t('aisle.merges', { aisle: aisle.was, other: other.was });
    }

    function swap(index, step) {
        [aisles[index], aisles[index + step]] = [aisles[index + step], aisles[index]];
        draw([index + step, step < 0 ? 1 : 2]);
    }

    /** The names of other aisles, then the catalogue's. */
    async function suggest() {
        const show = names => fill(options, [...new Set([...aisles.map(({ was }) => was), ...names])].map(name => h('option', { value: name })));
        show([]);
        const goods = await device.goods().catch(() => null), shelves = await goods?.shelves(id).catch(() => null);
        if (shelves) show(shelves.map(({ name }) => name));
    }

    /** A second tap means the same. */
    async function save() {
        if (isSaving) return;
        isSaving = true;
        await store().finally(() => { isSaving = false; });
    }

    async function store() {
        const order = aisles.map(({ was }) => was);
        const renamings = aisles.filter(({ was, name }) => name.trim() !== was).map(({ was, name }) => ({ aisle: was, name: name.trim() || undefined }));
        if (!renamings.length) {
            const text = order.join('\n');
            const isDone = text === (state.aisles ?? []).join('\n') || await screen.changes.perform([{ operation: 'recolourList', fields: { aisles: text } }]);
            return isDone && dialog.close();
        }
        try {
            const { drafts } = await (await device.goods()).arrangeAisles(id, { order, renamings });
            const made = await screen.changes.perform(drafts);
            if (!made) return;
            dialog.close();
            if (made.length) screen.changes.offerUndo(t('aisle.renamed', { n: renamings.length }), made[0]);
        } catch (error) {
            toast(explain(error), { isError: true });
        }
    }
}
