// A new list, maybe with items of another one and with people; and the name and colour of an old one.

import { inviteLater } from '../device/inviting.js';
// At hand where a list is made: the network may be gone by then.
import '../device/making.js';
import { inOrder } from '../device/places.js';
import { beginnings } from '../device/templates.js';
import { fill, h, icon } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { go } from './back.js';
import { COLOURS, paint } from './colours.js';
import { lines } from './lines.js';
import { painted } from './painted.js';
import { open } from './shell.js';
import { field, form, sheet, untold } from './sheet.js';

export async function show(shell) {
    addTexts((await import(`../text/own.${language}.js`)).default);
    const { device } = shell, first = COLOURS[device.rows.size % COLOURS.length];
    const template = new Template(device);
    const dialog = sheet(t('lists.new'), form(t('newList.make'), async ({ name, colour, invite = '' }) => {
        const id = await device.makeList(name.trim(), colour, template.drafts);
        const emails = invite.split(',').map(email => email.trim()).filter(Boolean);
        if (emails.length) await inviteLater(device, id, emails);
        dialog.close();
        if (!emails.length) shell.typesIn = id;
        await go(`#/list/${id}`);
        if (!emails.length) return;
        // Going there would close the sheet, which has the links that the person sends.
        await painted();
        await open('share', shell, id);
    }, field(t('list.name'), 'name', { required: true, autocomplete: 'off', placeholder: t('newList.example') }),
    colours(first), template.element, !device.isAlone && h('details.by-mail', {}, h('summary', {}, icon('mail'), t('share.byMail')),
        field(t('newList.invite'), 'invite', { type: 'email', multiple: true, autocomplete: 'off' }, t('newList.invite.hint')))),
    h('button.menu-item', { onclick: () => { dialog.close(); open('imports', shell); } }, icon('copy'), t('import.open')));
    dialog.querySelector('input').focus();
}

/** What the list begins with. */
class Template {
    element = null;
    #device;
    #state = null;
    #left = new Set();
    #items = h('div.form');

    constructor(device) {
        this.#device = device;
        const lists = inOrder(device.rows.values()).filter(({ id }) => device.states.get(id)?.items.length);
        if (!lists.length) return;
        const select = h('select', { id: 'newlist-from', onchange: () => this.#take(select.value).catch(untold) }, h('option', { value: '' }, t('newList.nothing')),
            lists.map(({ id }) => h('option', { value: id }, device.states.get(id).name || t('list.unnamed'))));
        this.element = h('div.form', {}, h('div.field', {}, h('label', { for: select.id }, t('newList.from')), select), this.#items);
    }

    /** The changes that the list begins with. */
    get drafts() {
        const state = this.#state;
        return state ? beginnings(this.#device.trolley, state, state.items.filter(({ id }) => !this.#left.has(id))) : [];
    }

    async #take(id) {
        // Items of a list that others change meanwhile stay as they were shown.
        const state = id ? (await this.#device.open(id)).state : null;
        // The person may have chosen another one since.
        if (this.element.querySelector('select').value !== id) return;
        this.#left.clear();
        this.#state = state;
        this.#show();
        const colour = this.element.closest('form').querySelector(`[name=colour][value="${this.#state?.colour}"]`);
        if (colour) colour.checked = true;
    }

    #show() {
        const { items = [] } = this.#state ?? {}, left = this.#left;
        const all = h('button.quiet.small', { onclick: () => {
            const boxes = [...this.#items.querySelectorAll('input')], none = boxes.every(({ checked }) => !checked);
            for (const box of boxes) if (box.checked !== none) box.click();
        } }, t('newList.all'));
        const shown = items.map(({ text, fields: { quantity, note } }) => ({ text, about: [quantity, note] }));
        fill(this.#items, items.length > 0 && lines(h('legend', { class: 'hidden' }, t('newList.items')), shown, {
            above: all, isChosen: () => true,
            choose: (index, isChosen) => isChosen ? left.delete(items[index].id) : left.add(items[index].id),
        }));
    }
}

export function colours(chosen) {
    return h('fieldset.colours', {}, h('legend', {}, t('list.colour')), COLOURS.map(colour =>
        paint(h('label', { title: t(`colour.${colour}`) },
            h('input', { type: 'radio', name: 'colour', value: colour, checked: colour === chosen, 'aria-label': t(`colour.${colour}`) }),
            h('span.swatch', {})), colour)));
}
