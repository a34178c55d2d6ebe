// The shops of a list: adding, ordering their aisles, removing.

import { keyOf } from '../device/keys.js';
import { shopsOf } from '../device/shops.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { field, form, sheet, untold } from './sheet.js';

export async function show(shell, screen) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    const { device, id } = screen, list = h('ul.people.shops');
    const adding = form(t('shops.add'), async ({ name }) => {
        const shop = name.trim();
        // It has one line.
        if (shop && await arrange({ shop })) adding.reset();
    }, field(t('shops.name'), 'name', { required: true, autocomplete: 'off', placeholder: t('shops.example') }));
    let isArranging = false;
    const dialog = sheet(t('shops.title'), h('p.hint', {}, t('shops.hint')), list, adding);
    const render = event => (!event || event.detail.list === id) && draw();
    device.addEventListener('list', render);
    dialog.addEventListener('close', () => device.removeEventListener('list', render));
    draw();

    function draw() {
        const { items, shops = [] } = screen.state;
        fill(list, shopsOf(screen.state).map(name => {
            const n = items.filter(item => !item.markedOff && typeof item.fields.shop === 'string' && keyOf(item.fields.shop) === keyOf(name)).length;
            const { aisles = [] } = shops.find(shop => keyOf(shop.name) === keyOf(name)) ?? {};
            const about = [n && t('shops.only', { n }), aisles.join(', ')].filter(Boolean).join(' · ');
            return h('li', {}, icon('tag'), h('span.words', {}, h('span.text', { dir: 'auto' }, name), about && h('span.sub', { dir: 'auto' }, about)),
                iconButton('list', t('shops.order', { shop: name }), () => order(name, aisles)),
                iconButton('trash', t('shops.remove', { shop: name }), () => remove(name)));
        }));
    }

    /** @returns {Promise<boolean>}  whether it is done; otherwise the person knows why */
    async function arrange(wish) {
        // A second tap means the same.
        if (isArranging) return false;
        isArranging = true;
        try {
            const { drafts } = await (await device.goods()).arrangeAisles(id, wish);
            return !!await screen.changes.perform(drafts);
        } catch (error) {
            untold(error);
            return false;
        } finally {
            isArranging = false;
        }
    }

    async function remove(shop) {
        if (await arrange({ shop, isGone: true })) screen.changes.offerUndo(t('shops.removed', { shop }));
    }

    /** The aisles in a shop, to be put in order. */
    function order(shop, own) {
        const names = new Map();
        for (const aisle of [...own, ...screen.state.aisles ?? [], ...screen.state.items.map(item => item.fields.aisle)]) {
            if (typeof aisle === 'string' && aisle && !names.has(keyOf(aisle))) names.set(keyOf(aisle), aisle);
        }
        const aisles = [...names.values()], shown = h('ol.order', {});
        const step = (index, by) => {
            [aisles[index], aisles[index + by]] = [aisles[index + by], aisles[index]];
            place([index + by, by < 0 ? 0 : 1]);
        };
        const place = focused => {
            fill(shown, aisles.map((aisle, index) => h('li', {}, h('span.words', { dir: 'auto' }, aisle),
                iconButton('up', t('row.up', { text: aisle }), () => step(index, -1), { disabled: index === 0 }),
                iconButton('down', t('row.down', { text: aisle }), () => step(index, 1), { disabled: index === aisles.length - 1 }))));
            const buttons = focused && shown.children[focused[0]].querySelectorAll('button');
            if (buttons) (buttons[focused[1]].disabled ? buttons[1 - focused[1]] : buttons[focused[1]]).focus();
        };
        place();
        const ordering = sheet(shop, aisles.length ? h('p.hint', {}, t('shops.order.hint')) : h('p.hint', {}, t('list.aisles.none')), shown,
            h('div.actions', {}, h('button.primary', {
                onclick: async () => (!aisles.length || await arrange({ shop, order: aisles })) && ordering.close(),
            }, t('done'))));
    }
}
