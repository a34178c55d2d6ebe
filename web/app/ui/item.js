// One item: text, quantity, note, aisle, shop, how often it is bought. The sheet follows what others do to the item meanwhile.

import { keyOf } from '../device/keys.js';
import { shopsOf } from '../device/shops.js';
import { fill, h, icon, iconButton, set } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { CHOICES, inWords } from './every.js';
import { Following } from './following.js';
import { stepped } from './quantity.js';
import { open } from './shell.js';
import { field, saveWith, sheet } from './sheet.js';

/**
 * @param {object} item  as its row shows it
 * @param {string} [focused]  the field that gets the focus
 */
export async function show(shell, screen, item, focused) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    const { canEdit } = screen;
    const dialog = sheet(item.text);
    const remarks = h('div.form'), form = canEdit ? fields(item) : facts(item);
    const other = (name, label, work) => h(name === 'trash' ? 'button.quiet.danger' : 'button.quiet', {
        'aria-label': label, title: label, onclick: () => { dialog.close(); work(); },
    }, icon(name));
    const remove = canEdit && other('trash', t('delete'), () => screen.changes.remove(following.item));
    const done = h('button.primary', { type: 'submit' }, t('done'));
    done.type = 'submit';
    const moves = canEdit && movesOf(screen, item);
    form.append(...[moves, h('div.actions.spread', {}, ...[remove,
        other('talk', t('talk.about', { text: item.text }), () => open('messages', shell, screen, item)),
        other('clock', t('item.history'), () => open('activity', shell, screen, item)), done].filter(Boolean))].filter(Boolean));
    form.addEventListener('submit', event => { event.preventDefault(); save(); });
    dialog.body.append(remarks, form);
    if (!canEdit) dialog.body.append(h('p.hint', {}, t('list.lookOnly')));

    const following = new Following(screen, item, canEdit ? form.elements : {}, { showGone, onChange: showItem });
    dialog.addEventListener('close', () => following.end());
    if (canEdit) {
        saveWith(dialog, save, { isChanged: () => following.changed.size > 0, action: () => t(following.isGone ? 'item.again' : 'sheet.save') });
        // It would come back by a tap that was meant for the list.
        dialog.beside = () => following.isGone ? dialog.leave() : save();
    }

    /** @param {string} by  who has deleted it; null: it is on the list */
    function showGone(by) {
        for (const part of [remove, moves]) if (part) part.hidden = by !== null;
        fill(remarks, by !== null && h('p.note', { role: 'alert' }, icon('trash'), t('item.gone', { name: by })));
        fill(done, t(by !== null && canEdit ? 'item.again' : 'done'));
    }

    function showItem(now) {
        fill(dialog.querySelector('h2'), now.text);
        if (!canEdit) form.firstElementChild.replaceWith(facts(now).firstElementChild);
        else offer(form.elements.every, now.fields.every);
    }

    let isSaving = false;
    /** The written text stays until it is saved. */
    async function save() {
        if (!canEdit) return dialog.close();
        // The person decides first.
        if (following.ask()) return;
        const values = Object.fromEntries(following.changed);
        if (!following.isGone && !Object.keys(values).length) return dialog.close();
        // It keeps the focus, so it isn't disabled.
        if (isSaving) return;
        isSaving = true;
        const isSaved = await following.saving(screen.changes.edit(item.id, values));
        isSaving = false;
        if (isSaved) dialog.close();
    }

    if (canEdit) {
        suggestAisles(screen, form.querySelector('#aisles'));
        fill(form.querySelector('#shops'), shopsOf(screen.state).map(shop => h('option', { value: shop })));
        if (focused) {
            form.elements[focused].focus();
            form.elements[focused].select();
        }
    }
    screen.presence.look(item.id);
    dialog.addEventListener('input', () => screen.presence.type(item.id));
    dialog.addEventListener('close', () => screen.presence.look());
}

/** The list's aisles, then the catalogue's once it is here. */
async function suggestAisles(screen, options) {
    const own = [...(screen.state.aisles ?? []), ...screen.state.items.map(other => other.fields.aisle)].filter(aisle => typeof aisle === 'string' && aisle);
    const show = others => {
        const aisles = new Map([...own, ...others].map(aisle => [keyOf(aisle), aisle]));
        fill(options, [...aisles.values()].map(aisle => h('option', { value: aisle })));
    };
    show([]);
    const goods = await screen.device.goods().catch(() => null);
    const shelves = await goods?.shelves(screen.id).catch(() => null);
    if (shelves) show(shelves.map(({ name }) => name));
}

function fields({ text, fields: { quantity, note, aisle, every, shop } }) {
    return h('form.form', { novalidate: true },
        field(t('item.text'), 'text', { value: text, required: true, autocomplete: 'off' }),
        h('div.pair', {},
            stepper(field(t('item.quantity'), 'quantity', { value: quantity, autocomplete: 'off', placeholder: t('item.quantity.example') })),
            field(t('item.aisle'), 'aisle', { value: aisle, autocomplete: 'off', list: 'aisles', placeholder: t('item.aisle.example') })),
        field(t('item.note'), 'note', { value: note, rows: 2 }),
        h('div.pair', {}, often(every),
            field(t('item.shop'), 'shop', { value: shop, autocomplete: 'off', list: 'shops', placeholder: t('item.shop.any') })),
        h('datalist', { id: 'aisles' }), h('datalist', { id: 'shops' }));
}

/** Puts − and + beside a quantity. */
function stepper(quantity) {
    const input = quantity.querySelector('input');
    const step = (name, by) => iconButton(name, t(`item.${name}`), () => {
        input.value = stepped(input.value.trim(), by);
        input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    const line = h('div.stepper', {});
    input.replaceWith(line);
    line.append(step('minus', -1), input, step('plus', 1));
    return quantity;
}

/** After how many days it is offered again. */
function often(every) {
    const select = h('select', { id: 'item-every', name: 'every' }, h('option', { value: '' }, t('every.never')));
    for (const choice of CHOICES) offer(select, choice);
    offer(select, every);
    // As inputs have it.
    select.defaultValue = select.value = typeof every === 'string' ? every : '';
    select.inWords = inWords;
    return h('div.field', {}, h('label', { for: select.id }, t('item.every')), select);
}

/** Another device may have chosen what isn't among the choices. */
function offer(select, every) {
    if (typeof every !== 'string' || [...select.options].some(({ value }) => value === every)) return;
    select.append(h('option', { value: every }, inWords(every)));
}

/** What a person reads who may only look. */
function facts({ text, fields }) {
    const { quantity, aisle, note, every, shop } = fields;
    const shown = Object.entries({ text, quantity, aisle, note, shop, every: typeof every === 'string' && inWords(every) }).filter(([, value]) => typeof value === 'string' && value);
    return h('form.form', {}, h('dl.facts', {}, shown.map(([key, value]) =>
        h('div', {}, h('dt', {}, t(`item.${key}`)), h('dd', { dir: 'auto' }, value)))));
}

/** Buttons for what else takes a drag. */
function movesOf(screen, item) {
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
