// Where a person is shopping: a button beside the progress, and what it opens.

import { keyOf } from '../device/keys.js';
import { shopsOf } from '../device/shops.js';
import { fill, h, icon } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { open } from './shell.js';
import { sheet } from './sheet.js';

const buttons = new WeakMap();

/** Shows the button, if there is a choice. @param {HTMLElement} beside  what stands before it */
export async function showShop(screen, beside) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    let button = buttons.get(screen);
    if (!button) {
        buttons.set(screen, button = h('button.chip.at', { onclick: () => choose(screen) }));
        beside.after(button);
    }
    const { isShopping, device, row, state } = screen;
    // It is not folded yet.
    if (!row || !state) return;
    button.hidden = !isShopping || !row.shop && device.rows.size < 2 && !shopsOf(state).length;
    const label = row.shop ? t('shops.at', { shop: row.shop }) : t('shops.where');
    if (button.title === label) return;
    button.title = label;
    // A phone shows the sign alone then.
    button.classList.toggle('any', !row.shop);
    fill(button, icon('tag'), h('span', { dir: 'auto' }, row.shop ?? t('shops.any')));
}

function choose(screen) {
    const { canEdit, device, row, shell, state } = screen;
    const names = shopsOf(state), here = row.shop && keyOf(row.shop);
    if (here && !names.some(name => keyOf(name) === here)) names.push(row.shop);
    const entry = (name, label, work, isOn) => h('button.menu-item', { 'aria-pressed': isOn === undefined ? null : String(isOn), onclick: () => { dialog.close(); work(); } },
        icon(name), h('span', { dir: 'auto' }, label), isOn && icon('check'));
    const dialog = sheet(t('shops.where'), h('div.menu', {},
        entry('cart', t('shops.any'), () => screen.shopAt(null), !here),
        names.map(name => entry('tag', name, () => screen.shopAt(name), keyOf(name) === here)),
        canEdit && entry('edit', t('shops.edit'), () => open('shops', shell, screen)),
        device.rows.size > 1 && canEdit && entry('list', t('together.title'), () => open('together', shell, screen))));
}
