// Several lists, shopped as one: what they call by the same name is one row, and is marked off on each of them.

import { keyOf } from '../device/keys.js';
import { inOrder } from '../device/places.js';
import { shopsOf } from '../device/shops.js';
import { fill, h } from '../dom.js';
import { addTexts, language, names, t } from '../text.js';
import { personOn } from './people.js';
import { sheet, untold } from './sheet.js';

export async function show(shell, screen) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    const { device } = shell, chosen = new Set([screen.id]);
    const nameOf = id => device.states.get(id)?.name || t('list.unnamed');
    const mayChange = row => personOn(row, device.session.account.id)?.permission !== 'readOnly';
    const lists = inOrder(device.rows.values()).filter(row => device.states.has(row.id) && mayChange(row));
    const begin = h('button.primary', { onclick: () => { dialog.close(); shop([...chosen]).catch(untold); } }, t('together.begin'));
    const dialog = sheet(t('together.title'), h('p.hint', {}, t('together.hint')), h('fieldset.lines', {}, h('legend.hidden', {}, t('lists.title')),
        lists.map(({ id }) => h('label.told', {}, h('input', {
            type: 'checkbox', checked: chosen.has(id), onchange: event => {
                chosen[event.target.checked ? 'add' : 'delete'](id);
                begin.disabled = chosen.size < 2;
            },
        }), h('span.words', {}, h('span.text', { dir: 'auto' }, nameOf(id)))))), h('div.actions', {}, begin));
    begin.disabled = true;

    /**
     * How the lists are before they are shopped together. A reload ends that without putting them back: then what was kept counts.
     * @param {string[]} ids
     * @returns {Promise<{[list: string]: {shopping: boolean, shop: string | null}}>}
     */
    async function modesOf(ids) {
        let modes = Object.fromEntries(ids.flatMap(id => device.rows.get(id) ?? []).map(({ id, shopping = false, shop = null }) => [id, { shopping, shop }]));
        await device.attempt(() => device.store.keep('together', left => {
            const kept = Object.entries(left ?? {}).filter(([id]) => ids.includes(id) && device.rows.get(id)?.shopping);
            return modes = { ...modes, ...Object.fromEntries(kept) };
        }));
        return modes;
    }

    async function shop(ids) {
        const trips = await device.trips(), before = await modesOf(ids);
        let { shop = null } = screen.row;
        /** The items that were marked off here. Older purchases by the same name stand in the same rows. */
        const marked = new Set();
        const enter = async () => { for (const id of ids) await device.setShopping(id, true, shop); };
        await enter();
        const list = h('div.rows-frame.together'), progress = h('p.progress', { role: 'status' }), news = h('button.chip', { hidden: true, onclick: takeIn });
        const select = h('select', { id: 'together-shop', onchange: async () => {
            shop = select.value || null;
            await enter();
            draw();
        } });
        const place = h('div.field', {}, h('label', { for: select.id }, t('shops.where')), select);
        const view = sheet(names(ids.map(nameOf)), place, h('div.bar', {}, progress, news), list);
        const render = () => draw();
        for (const event of ['list', 'lists']) device.addEventListener(event, render);
        view.addEventListener('close', async () => {
            for (const event of ['list', 'lists']) device.removeEventListener(event, render);
            for (const [id, { shopping, shop }] of Object.entries(before)) if (device.rows.has(id)) await device.setShopping(id, shopping, shop);
            await device.attempt(() => device.store.keep('together', () => null));
        });
        draw();

        async function takeIn() { for (const id of ids) await device.applyWaiting(id); }

        function draw() {
            const here = ids.filter(id => device.rows.has(id) && device.states.has(id));
            const shops = new Map(here.flatMap(id => shopsOf(device.states.get(id))).map(name => [keyOf(name), name]));
            // It may be on no list any more.
            if (shop !== null && !shops.has(keyOf(shop))) shops.set(keyOf(shop), shop);
            fill(select, h('option', { value: '' }, t('shops.any')), [...shops.values()].map(name => h('option', { value: name }, name)));
            select.value = shop === null ? '' : shops.get(keyOf(shop));
            place.hidden = !shops.size;
            const waiting = here.reduce((n, id) => n + (device.opened(id)?.waiting.length ?? 0), 0);
            news.hidden = !waiting;
            fill(news, t('together.news', { n: waiting }));
            const items = new Map(here.flatMap(id => device.states.get(id).items.map(item => [item.id, item])));
            const rows = trips.combine(here, shop).map(row => ({ ...row, items: row.parts.map(({ item }) => items.get(item)) }));
            fill(progress, t('shop.progress', { n: rows.filter(({ items }) => items[0].markedOff).length, of: rows.length }));
            const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
            let last;
            fill(list, rows.map(row => {
                const aisle = row.aisle && keyOf(row.aisle), isNew = aisle !== last;
                last = aisle;
                return [isNew && h('h3', { dir: 'auto' }, row.aisle ?? t('list.noAisle')), entry(row)];
            }));
            if (focused) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
        }

        function entry({ parts, items }) {
            const [{ text, markedOff }] = items;
            const about = parts.map(({ list }, index) => [nameOf(list), items[index].fields.quantity].filter(part => typeof part === 'string' && part).join(': ')).join(' · ');
            return h('label.told', {}, h('input', { type: 'checkbox', checked: markedOff, 'data-key': keyOf(text), onchange: event => mark(parts, event.target.checked) }),
                h('span.words', {}, h(markedOff ? 'span.text.done' : 'span.text', { dir: 'auto' }, text), h('span.sub', { dir: 'auto' }, about)));
        }

        function mark(parts, isDone) {
            const operation = isDone ? 'markOff' : 'unmark', own = parts.filter(({ item }) => marked.has(item));
            const meant = isDone || !own.length ? parts : own, ids = [...new Set(meant.map(({ list }) => list))];
            for (const { item } of meant) marked[isDone ? 'add' : 'delete'](item);
            const drafts = id => meant.filter(({ list }) => list === id).map(({ item }) => ({ operation, item }));
            device.performAll(ids.map(id => ({ id, drafts: drafts(id) }))).catch(untold);
        }
    }
}
