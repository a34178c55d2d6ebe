// What people say about a list, or about one of its items.

import { inOrder } from '../device/in-order.js';
import { call } from '../device/transport.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { names, t, time } from '../text.js';
import { face, nameOf, others, personOn } from './people.js';
import { announce, explain, moreMenu, sheet, toast, untold } from './sheet.js';
import { keepTyped, typed } from './typed.js';

const PAGE = 50;
/** How often to ask how far one's own messages have come, in milliseconds: the service gives no hint of that. */
const LOOK_EVERY = 4000;
/** What a tap adds. */
const REACTIONS = ['👍', '❤️', '😂', '✅'];

/** @param {object} [item]  shows only what is said about this item */
export async function show(shell, screen, item) {
    const { device } = shell, { id } = screen;
    const me = device.session.account.id;
    const log = h('ol.talk', { 'aria-live': 'polite' }), earlier = h('button.quiet.wide', { hidden: true }, t('activity.more'));
    const place = `${id} ${item?.id ?? 'messages'}`;
    const input = h('textarea', {
        name: 'text', rows: 1, placeholder: t('talk.say'), 'aria-label': t('talk.say'), oninput: () => keepTyped(place, input.value),
    }, typed(place));
    const form = h('form.say', { novalidate: true, onsubmit: event => { event.preventDefault(); say(); } },
        input, iconButton('send', t('talk.send'), () => form.requestSubmit(), { class: 'icon-button add' }));
    const dialog = sheet(item ? t('talk.about', { text: item.text }) : t('talk.title'), earlier, log, screen.canEdit && form);
    const stop = new AbortController();
    const looking = inOrder();
    let limit = PAGE, reads = [], received = [], last = null;
    const timer = setInterval(() => log.querySelector('.tick:not([data-tick=seen])') && look(), LOOK_EVERY);
    dialog.addEventListener('close', () => { stop.abort(); clearInterval(timer); });
    device.addEventListener('list', event => event.detail.list === id && draw(), { signal: stop.signal });
    device.addEventListener('presence', event => event.detail.list === id && look(), { signal: stop.signal });
    input.addEventListener('keydown', event => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        form.requestSubmit();
    });
    earlier.addEventListener('click', () => { limit += PAGE; draw(); });
    await draw();
    await look();

    async function say() {
        const text = input.value.trim();
        if (!text) return;
        input.value = '';
        keepTyped(place, '');
        try {
            await device.perform(id, [{ operation: 'message', ...(item && { item: item.id }), fields: { text } }]);
        } catch (error) {
            untold(error);
            // Before what the person has typed since.
            input.value = [text, input.value].filter(Boolean).join('\n');
            keepTyped(place, input.value);
        }
    }

    const change = (operation, message, fields = {}) =>
        device.perform(id, [{ operation, fields: { message: message.id, ...fields } }]).catch(untold);

    /** How far the others have received and read. */
    async function look() {
        const row = device.rows.get(id);
        if (!navigator.onLine || !row?.share || row.local) return;
        const isNews = looking();
        try {
            const answer = await call('GET', `lists/${id}/share`);
            if (!isNews()) return;
            ({ reads = [], received = [] } = answer);
            await draw();
        } catch { /* The ticks stay as they are. */ }
    }

    async function draw() {
        const list = await device.open(id).catch(error => void toast(explain(error), { isError: true }));
        if (!list || stop.signal.aborted) return;
        const { messages } = list.handle.messages({ limit: limit + 1, person: me, ...(item && { item: item.id }) });
        earlier.hidden = messages.length <= limit;
        const shown = messages.slice(-limit);
        const atEnd = dialog.body.scrollHeight - dialog.body.scrollTop - dialog.body.clientHeight < 60;
        const known = new Map([...log.children].map(line => [line.dataset.id, line]));
        const focused = document.activeElement, before = log.contains(focused) && focused.closest('li');
        fill(log, shown.map(message => line(message, known.get(message.id))),
            !shown.length && h('li.hint', {}, t('talk.none')));
        // A line that is drawn again passes the focus on.
        if (before && !before.isConnected) {
            const after = [...log.children].find(line => line.dataset.id === before.dataset.id);
            if (after) controls(after)[controls(before).indexOf(focused)]?.focus({ preventScroll: true });
        }
        const newest = shown.at(-1);
        if (newest?.id !== last) {
            if (last && newest && newest.author !== me) announce(`${name(newest.author)}: ${newest.text}`);
            if (last === null || atEnd || newest?.author === me) dialog.body.scrollTop = dialog.body.scrollHeight;
            last = newest?.id ?? '';
        }
        device.noteHeard(id, list).catch(() => {});
    }

    function person(account) {
        return personOn(device.rows.get(id), account)
            ?? (account === me ? device.session.account : { account });
    }

    function name(account) { return account === me ? t('people.you') : nameOf(person(account)); }

    /** The person who wrote a message. An imported one names them, and its author is the person who imported it. */
    function writer({ author, fields }) {
        const named = fields?.writtenAt && fields.writtenBy;
        return named && named !== nameOf(person(author)) ? t('talk.imported', { name: named }) : name(author);
    }

    /** A line keeps its element while nothing about it changes, and its menu stays open. */
    function line(message, known) {
        const isMine = message.author === me;
        const about = !item && message.item && screen.state.items.find(other => other.id === message.item);
        const tick = isMine ? delivery(message) : null;
        const drawn = JSON.stringify([message, tick, about?.text, name(message.author)]);
        if (known?.dataset.drawn === drawn) return known;
        const who = { ...person(message.author), account: message.author };
        return h(isMine ? 'li.mine' : 'li', { 'data-id': message.id, 'data-drawn': drawn },
            face({ ...who, name: isMine ? device.session.account.name : who.name }),
            h('div.said', {},
                about && h('span.sub', { dir: 'auto' }, icon('tag'), about.text),
                h('p', { dir: 'auto' }, message.text),
                h('div.reactions', {}, message.reactions.map(reaction => reactionChip(message, reaction))),
                h('span.sub', {}, message.pinned && icon('pin'), writer(message), ' · ', time(message.madeAt),
                    tick && h('span.tick', { 'data-tick': tick.state, title: tick.text }, ` · ${tick.text}`))),
            screen.canEdit && menu(message, isMine, known?.querySelector('.mini')?.open));
    }

    function reactionChip(message, { text, accounts }) {
        const isMine = accounts.includes(me);
        return h('button.chip', {
            'aria-pressed': isMine, disabled: !screen.canEdit, title: names(accounts.map(name)),
            'aria-label': t('talk.reaction', { text, names: names(accounts.map(name)) }),
            onclick: () => change(isMine ? 'unreact' : 'react', message, { text }),
        }, `${text} ${accounts.length}`);
    }

    function menu(message, isMine, isOpen = false) {
        const isOwner = device.rows.get(id)?.share?.participants.some(other => other.account === me && other.role === 'owner') ?? true;
        const details = moreMenu(t('talk.more'),
            h('div.chips', {}, REACTIONS.map(text => h('button.chip', {
                'aria-label': t('talk.react', { text }), onclick: () => { details.open = false; change('react', message, { text }); },
            }, text))),
            h('button.menu-item', { onclick: () => { details.open = false; change(message.pinned ? 'unpin' : 'pin', message); } },
                icon('pin'), t(message.pinned ? 'talk.unpin' : 'talk.pin')),
            (isMine || isOwner) && h('button.menu-item.danger', { onclick: () => change('deleteMessage', message) },
                icon('trash'), t('delete')));
        details.open = isOpen;
        return details;
    }

    /** How far one's own message has come. */
    function delivery({ sequence }) {
        if (sequence === undefined || sequence === null) return { state: 'queued', text: t('tick.queued') };
        const people = others(device.rows.get(id), me);
        const reached = marks => people.filter(({ account }) =>
            marks.some(mark => mark.account === account && mark.through >= sequence)).map(nameOf);
        const seen = reached(reads), has = reached(received);
        if (seen.length) return { state: 'seen', text: t('tick.seen', { names: names(seen) }) };
        if (has.length) return { state: 'received', text: t('tick.received', { names: names(has) }) };
        return { state: 'service', text: t('tick.service') };
    }
}

const controls = line => [...line.querySelectorAll('button, summary')];
