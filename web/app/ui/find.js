// Searches all lists of this browser, also without a network. What is found takes the place of the cards.

import { fill, h, icon } from '../dom.js';
import { t, time } from '../text.js';
import { announce } from './sheet.js';

/** Lines that are shown at most, and milliseconds in which the person types on. */
const MOST = 60;
const FIND_AFTER = 150;

/** Begins to search, or ends it. @param {HTMLElement} side  the lists' part of the page */
export function toggle(shell, side) {
    const open = side.querySelector('.find');
    if (open) return end(side);
    const found = h('ul.cards'), lists = side.querySelector('nav'), place = h('nav', { hidden: true, 'aria-label': t('find.found') }, found);
    let timer = null, round = 0;
    const field = h('input.search', {
        type: 'search', placeholder: t('find.title'), 'aria-label': t('find.title'), autocomplete: 'off',
        oninput: () => { clearTimeout(timer); timer = setTimeout(look, FIND_AFTER); },
        onkeydown: event => event.key === 'Escape' && end(side),
    });
    lists.before(h('div.find', {}, field));
    // The cards outlive this frame, so they are not hidden themselves.
    lists.after(place);
    field.focus();

    async function look() {
        const text = field.value.trim(), mine = ++round;
        const traces = text ? await shell.device.whereabouts().then(whereabouts => whereabouts.of(text)).catch(() => []) : [];
        if (mine !== round || !field.isConnected) return;
        lists.hidden = !!text;
        place.hidden = !text;
        // What is wanted comes first.
        const ordered = [...traces].sort((a, b) => (a.status !== 'wanted') - (b.status !== 'wanted')).slice(0, MOST);
        fill(found, ordered.map(trace => line(shell, trace)), text && !ordered.length && h('li.no-lists', {}, icon('search', 'big'), h('p', {}, t('find.nothing'))));
        if (text) announce(ordered.length ? t('find.count', { n: ordered.length }) : t('find.nothing'));
    }
}

function end(side) {
    const [lists, place] = side.querySelectorAll('nav');
    side.querySelector('.find').remove();
    lists.hidden = false;
    place.remove();
    side.querySelector('.find-button')?.focus();
}

function line(shell, { list, id, text, status, since }) {
    const name = shell.device.states.get(list)?.name || t('list.unnamed');
    return h('li', {}, h('a.card', {
        href: `#/list/${list}`, onclick: () => {
            shell.found = { list, item: id };
            // The address is the same where the list is open: there is no other event.
            if (location.hash === `#/list/${list}`) dispatchEvent(new Event('hashchange'));
        },
    }, h('span.card-text', {}, h('span.card-name', { dir: 'auto' }, text),
        h('span.card-sub', { dir: 'auto' }, [name, status === 'wanted' ? null : t(`find.${status}`, { time: time(since.at) })].filter(Boolean).join(' · ')))));
}
