// What the catalogue has, by aisle. A tap puts it on the list.

import { keyOf } from '../device/keys.js';
import { fill, h, icon, iconButton, set } from '../dom.js';
import { t } from '../text.js';
import { sheet, untold } from './sheet.js';

export async function show(shell, screen) {
    const { device, id } = screen, place = h('div.browse', {});
    sheet(t('browse.title'), place);
    const goods = await device.goods().catch(() => null), aisles = await goods?.shelves(id).catch(() => null);
    if (!aisles) return fill(place, h('p.note', { role: 'alert' }, t(goods?.language === null ? 'browse.off' : 'browse.none')));
    overview();

    function overview(focused) {
        fill(place, h('ol.menu', {}, aisles.map(aisle => h('li', {}, h('button.menu-item', { onclick: () => shelf(aisle) }, icon('tag'),
            h('span', { dir: 'auto' }, aisle.name))))));
        if (focused) place.querySelectorAll('.menu-item')[aisles.indexOf(focused)].focus();
    }

    function shelf(aisle) {
        const back = iconButton('back', t('browse.back'), () => overview(aisle)), words = goods.words(aisle.id);
        fill(place, h('div.bar', {}, back, h('h3', { dir: 'auto' }, aisle.name)), h('ul.chips.many', {}, words.map(word => h('li', {}, chip(word)))));
        back.focus();
    }

    /** A word, with a check when the list wants it already. */
    function chip(word) {
        const isThere = screen.state.items.some(item => !item.markedOff && keyOf(item.text) === keyOf(word));
        const button = h(isThere ? 'button.chip.there' : 'button.chip', {
            'aria-label': t(isThere ? 'add.present' : 'add.suggestion', { text: word }), 'aria-disabled': isThere,
            onclick: async () => {
                // It keeps the focus, so it isn't disabled.
                if (button.getAttribute('aria-disabled') === 'true') return;
                set(button, { 'aria-disabled': true });
                await screen.changes.add(word).catch(untold);
                const next = chip(word);
                button.replaceWith(next);
                next.focus();
            },
        }, icon(isThere ? 'check' : 'plus'), h('span', { dir: 'auto' }, word));
        return button;
    }
}
