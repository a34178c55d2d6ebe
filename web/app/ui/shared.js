// What another app has shared: the person chooses a list, sees the lines, and adds them.

import { inOrder } from '../device/places.js';
import { h, icon } from '../dom.js';
import { t } from '../text.js';
import { go } from './back.js';
import { personOn } from './people.js';
import { explain, form, sheet, toast } from './sheet.js';

/** Lines that the preview shows. */
const PREVIEW = 40;

export async function show(shell) {
    const { device } = shell, shared = await taken();
    if (!shared) return;
    await device.loaded();
    const { files: [file, another], refused: [trouble] } = shared;
    // A file alone may be another program's export, or a recipe.
    if (file && !another && !trouble && !shared.text && !shared.url) return (await import('./imports.js')).show(shell, null, { text: file.text, file: file.name });
    const items = itemsOf(shared, text => device.trolley.lines(text));
    const lists = inOrder(device.rows.values()).filter(row => device.states.has(row.id)
        && personOn(row, device.session.account.id)?.permission !== 'readOnly');
    const refused = shared.refused.map(({ name, reason }) => h('p.note', { role: 'alert' }, icon('alert'), h('span', { dir: 'auto' }, t(`shared.${reason}`, { name }))));
    if (!items.length || !lists.length) {
        return sheet(t('shared.title'), refused, !refused.length && h('p.hint', {}, t(items.length ? 'lists.none' : 'shared.nothing')));
    }
    const preview = h('ul.preview', { tabindex: 0, 'aria-label': t('shared.preview') }, items.slice(0, PREVIEW).map(({ text, quantity, note }) =>
        h('li', { dir: 'auto' }, [text, quantity, note].filter(Boolean).join(', '))), items.length > PREVIEW && h('li', {}, t('replay.more', { n: items.length - PREVIEW })));
    const select = h('select', { id: 'shared-list' }, lists.map(({ id }) => h('option', { value: id }, device.states.get(id).name || t('list.unnamed'))));
    const dialog = sheet(t('shared.title'), refused, preview,
        form(t('shared.add', { n: items.length }), async () => {
            const list = select.value;
            await add(device, list, items);
            dialog.close();
            await go(`#/list/${list}`);
            toast(t('add.many', { n: items.length }));
        }, h('div.field', {}, h('label', { for: select.id }, t('shared.list')), select)));
}

/** What the service worker has stored, which is gone then. */
async function taken() {
    try {
        for (const name of await caches.keys()) {
            const cache = await caches.open(name), stored = await cache.match('/shared');
            if (!stored) continue;
            await cache.delete('/shared');
            return await stored.json();
        }
    } catch (error) {
        toast(explain(error), { isError: true });
    }
    return null;
}

/** A link is one item, and its address the note. Otherwise each line is one. */
function itemsOf({ title = '', text = '', url = '', files }, linesOf) {
    const [, before, address] = text.trim().match(/^([^]*?)\s*(https?:\/\/\S+)$/) ?? [];
    const link = url || address, words = (url ? text : before ?? text).trim();
    const found = files.flatMap(file => linesOf(file.text));
    if (link) return [{ text: title.trim() || words.split('\n')[0] || link, note: link.slice(0, 1000) }, ...found];
    return [...linesOf(words), ...found];
}

async function add(device, list, items) {
    const links = items.filter(({ note }) => note), lines = items.filter(({ note }) => !note);
    const text = lines.map(({ text, quantity }) => quantity ? `${text}, ${quantity}` : text).join('\n');
    if (text) await device.add(list, text);
    const { state } = await device.open(list);
    let after = state.items.at(-1)?.id ?? null;
    for (const { text, note } of links) {
        const [item] = device.trolley.identifiers(new Date().toISOString());
        await device.perform(list, [{ operation: 'add', item, after, fields: { text, note } }]);
        after = item;
    }
}
