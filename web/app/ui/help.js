// The help, as docs/help has it, in the page's language. It is stored with the app, so it is there without a network.

import { keyOf } from '../device/keys.js';
import { fill, h } from '../dom.js';
import { language, t } from '../text.js';
import { announce, sheet } from './sheet.js';

export async function show() {
    const place = h('div.help');
    const field = h('input.search', { type: 'search', placeholder: t('help.search'), 'aria-label': t('help.search'), autocomplete: 'off', oninput: () => find() });
    sheet(t('help.title'), field, place);
    let sections;
    try {
        const response = await fetch(new URL(`../help/${language}.md`, import.meta.url), { credentials: 'same-origin' });
        if (!response.ok) throw new TypeError('no help');
        sections = sectionsOf(await response.text());
    } catch {
        return fill(place, h('p.note', { role: 'alert' }, t('help.missing')));
    }
    find();

    /** Shows the sections that have all words; with words, they are open. */
    function find() {
        const words = keyOf(field.value).split(' ').filter(Boolean);
        const found = sections.filter(({ title, paragraphs }) => {
            const text = keyOf([title, ...paragraphs].join(' ').replaceAll(/[*`]/g, ''));
            return words.every(word => text.includes(word));
        });
        fill(place, found.map(({ title, paragraphs }) => h('details.part', { open: words.length > 0 }, h('summary', {}, title), paragraphs.map(text => h('p', {}, marked(text))))),
            !found.length && h('p.hint', {}, t('help.nothing')));
        if (words.length) announce(found.length ? t('help.found', { n: found.length }) : t('help.nothing'));
    }
}

/** @returns {{title: string, paragraphs: string[]}[]} */
function sectionsOf(text) {
    return text.split(/^## /m).slice(1).map(section => {
        const [title, ...lines] = section.split('\n');
        return { title: title.trim(), paragraphs: lines.join('\n').split(/\n{2,}/).map(text => text.replaceAll('\n', ' ').trim()).filter(Boolean) };
    });
}

/** `*words of the page*` and `what one writes`. */
const marked = text => text.split(/(\*[^*]+\*|`[^`]+`)/).map(part =>
    part.startsWith('*') ? h('strong', {}, part.slice(1, -1)) : part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : part);
