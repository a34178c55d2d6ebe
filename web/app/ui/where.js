// 'Where has my milk gone?': what this device knows of items by a name that the list doesn't show.

import { keyOf } from '../device/keys.js';
import { fill, h } from '../dom.js';
import { t, time } from '../text.js';
import { nameOf, personOn } from './people.js';
import { announce } from './sheet.js';

/** Milliseconds in which the person types on. */
const TELL_AFTER = 350;
const timers = new WeakMap();

/**
 * Says where such items are, once the person has stopped typing.
 * @param {HTMLElement} element  a list, hidden while there is nothing to say
 * @param {string} list  that is shown
 * @param {string} name  as it was typed
 * @param {object[]} shown  the items by this name that the list shows
 * @param {number} limit  of lines
 */
export function tellWhere(element, device, list, name, shown, limit) {
    clearTimeout(timers.get(element));
    // A single letter means too much.
    if (/^\w?$/.test(name)) return write(element, []);
    const timer = setTimeout(async () => {
        const traces = await device.whereabouts().then(whereabouts => whereabouts.of(name)).catch(() => []);
        if (timers.get(element) === timer) write(element, linesOf(device, list, traces, shown).slice(0, limit));
    }, TELL_AFTER);
    timers.set(element, timer);
}

/** One line for each list and text: an item that is bought each week is there many times. */
function linesOf(device, list, traces, shown) {
    const keys = new Set(shown.map(item => keyOf(item.text))), lines = new Map();
    for (const trace of traces) {
        const key = keyOf(trace.text), place = `${trace.list} ${key}`;
        if (lines.has(place) || trace.list === list && keys.has(key)) continue;
        const text = sentence(device, list, trace);
        lines.set(place, { text, href: trace.list === list ? null : `#/list/${trace.list}` });
    }
    return [...lines.values()];
}

function write(element, lines) {
    const text = lines.map(line => line.text).join(' ');
    const isNews = text && text !== element.dataset.told;
    element.dataset.told = text;
    element.hidden = !lines.length;
    fill(element, lines.map(({ text, href }) => h('li', { dir: 'auto' }, href ? h('a', { href }, text) : text)));
    if (isNews) announce(text);
}

/** '“Milk” was marked off on this list by Ben, 12:04.' */
function sentence(device, list, { list: other, text, formerTexts, status, since, added, source }) {
    const isAgain = status === 'wanted' && added?.entry !== since.entry;
    const place = other === list ? t('where.here') : t('where.on', { name: device.states.get(other)?.name || t('list.unnamed') });
    return [
        t(`where.${isAgain ? 'again' : status}`, { text, place, name: personOf(device, other, since.by), time: time(since.at) }),
        formerTexts.length && t('where.former', { text: formerTexts.at(-1) }),
        source === 'unconfirmed' && t('where.unconfirmed'), source === 'toApply' && t('where.toApply'),
    ].filter(Boolean).join(' ');
}

function personOf(device, list, account) {
    if (account && account === device.session?.account.id) return t('where.you');
    const person = account && personOn(device.rows.get(list), account);
    return person ? nameOf(person) : t('where.somebody');
}
