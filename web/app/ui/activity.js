// A list's Activity, and restoring an item or the whole list. Without the service it shows what this device knows.

import { CallError, call, isWithoutService } from '../device/transport.js';
import { fill, h, icon, set } from '../dom.js';
import { addTexts, has, day, language, moment, t, time } from '../text.js';
import { inWords } from './every.js';
import { face, nameOf, waitedFor } from './people.js';
import { open } from './shell.js';
import { standing } from './status.js';
import { ask, explain, sheet, toast } from './sheet.js';

/** Lines that are shown at a time. */
const PAGE = 60;

/** @param {object} [item]  shows only this item's changes */
export async function show(shell, screen, item) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    const { device } = shell, { id } = screen;
    let former = new Map();
    const filter = { account: '', item: item?.id ?? '' };
    const list = h('ol.activity'), told = h('p.note', { role: 'status', hidden: true }), more = h('button.quiet.wide', { hidden: true }, t('activity.more'));
    const people = h('div.chips', { role: 'group', 'aria-label': t('activity.people') });
    const back = h('div.back-in-time'), closing = new AbortController();
    const dialog = sheet(item ? t('item.historyOf', { text: item.text }) : t('activity.title'),
        !item && h('details.time', { ontoggle: event => event.target.open && !back.childElementCount && backInTime(device, screen, back, dialog, former) },
            h('summary', {}, icon('clock'), t('replay.title')), back),
        !item && h('button.quiet.wide', { onclick: () => { dialog.close(); open('trips', shell, screen); } }, icon('cart'), t('trips.title')),
        syncing(), people, told, list, more);
    dialog.addEventListener('close', () => closing.abort());
    const participants = (device.rows.get(id)?.share?.participants ?? []).filter(person => person.account && person.name);
    if (participants.length > 1) {
        const chip = (account, label) => h('button.chip', {
            'aria-pressed': filter.account === account, onclick: event => {
                filter.account = account;
                for (const other of people.children) other.setAttribute('aria-pressed', other === event.currentTarget);
                load();
            },
        }, label);
        fill(people, chip('', t('activity.all')), participants.map(person => chip(person.account, person.name)));
    }
    former = await device.store.past(id).then(formerTexts, () => former);
    let next;
    more.addEventListener('click', () => load(next));
    await load();

    /** How the sync stands, with a button for a run; then the Activity is read again. */
    function syncing() {
        const status = h('p.hint', { role: 'status' }), render = () => fill(status, standing(device).text);
        device.addEventListener('progress', render, { signal: closing.signal });
        render();
        return h('div.bar', {}, status, h('button.quiet', {
            onclick: async event => {
                const button = event.currentTarget;
                button.disabled = true;
                await device.sync('manual');
                await load();
                button.disabled = false;
                button.focus();
            },
        }, t('status.now')));
    }

    async function load(before) {
        const query = new URLSearchParams({ limit: PAGE, ...(before && { before }) });
        for (const [key, value] of Object.entries(filter)) if (value) query.set(key, value);
        try {
            const page = typeof before === 'number' ? await known(before)
                : await fromService(`lists/${id}/activity?${query}`).catch(error => instead(error, before));
            if (!before) list.replaceChildren();
            told.hidden = !page.isKnown;
            let last = list.lastElementChild?.dataset.day;
            for (const event of page.activity) {
                const date = day(event.at);
                if (date !== last) list.append(h('li.day', { 'data-day': date }, h('h3', {}, date)));
                last = date;
                list.append(line(event, date));
            }
            if (!list.childElementCount) list.append(h('li.hint', {}, t('activity.none')));
            more.hidden = !page.next;
            next = page.next;
        } catch (error) {
            fill(list, h('li.note', { role: 'alert' }, explain(error)));
        }
    }

    /** What the device answers in place of the service, and says so. */
    function instead(error, before) {
        if (before || !isWithoutService(error)) throw error;
        fill(told, icon('off'), t(error.code === 'notAuthenticated' ? 'activity.signedOut' : 'activity.offline'));
        return known(0);
    }

    /** What this device knows of the Activity. @param {number} from  the number of newer lines */
    async function known(from) {
        const { entries, pending } = await device.store.past(id), texts = new Map(), me = device.session?.account;
        const all = [...entries, ...pending.map(({ entry, madeAt }) => ({ ...entry, author: me?.id, madeAt, isPending: true }))];
        const events = all.map(entry => {
            if (entry.item && typeof entry.fields?.text === 'string' && entry.operation !== 'message') texts.set(entry.item, entry.fields.text);
            const author = participants.find(person => person.account === entry.author) ?? (entry.author === me?.id ? me : {});
            return {
                entry, at: entry.receivedAt ?? entry.madeAt, authorName: nameOf(author), itemText: texts.get(entry.item), isPending: entry.isPending,
            };
        });
        const { account, item } = filter;
        const wanted = events.filter(({ entry }) => (!account || entry.author === account) && (!item || entry.item === item)).reverse();
        return { activity: wanted.slice(from, from + PAGE), next: wanted.length > from + PAGE ? from + PAGE : null, isKnown: true };
    }

    function line(event, date) {
        const { entry } = event;
        const person = entry ? { account: entry.author, name: event.authorName ?? t('people.somebody') } : event.participant ?? {};
        const isGone = entry && (entry.operation === 'delete' || entry.operation === 'markOff');
        return h('li', { 'data-day': date }, face(person),
            h('span.words', {}, h('span.text', { dir: 'auto' }, sentence(event, former.get(entry?.id))),
                h('span.sub', {}, time(event.at), event.madeEarlierBy && ` · ${t('activity.earlier', { n: Math.round(event.madeEarlierBy / 60_000) })}`,
                    event.isPending && ` · ${t('tick.queued')}`)),
            isGone && entry.item && h('button.quiet.small', {
                onclick: async ({ currentTarget: button }) => {
                    // It keeps the focus, so it isn't disabled.
                    if (button.getAttribute('aria-disabled') === 'true') return;
                    set(button, { 'aria-disabled': true });
                    if (await screen.changes.perform([{ operation: 'unmark', item: entry.item }])) toast(t('activity.isBack', { text: event.itemText ?? '' }));
                    else set(button, { 'aria-disabled': false });
                },
            }, t('activity.bringBack')));
    }
}

/** The text of each renamed item just before, by the entry that renamed it, as far as this device knows it. */
function formerTexts({ entries, pending }) {
    const texts = new Map(), former = new Map();
    for (const { id, item, fields, operation } of [...entries, ...pending.map(({ entry }) => entry)]) {
        if (!item || operation === 'message' || typeof fields?.text !== 'string') continue;
        if (texts.has(item)) former.set(id, texts.get(item));
        texts.set(item, fields.text);
    }
    return former;
}

/** Asks the service, if there may be one. */
const fromService = path => navigator.onLine ? call('GET', path) : Promise.reject(new CallError('unreachable', 'offline'));

/** A line of the Activity, as a sentence. */
function sentence({ entry, authorName, deviceName, itemText, kind, participant }, former) {
    // Words that somebody else brought back name who wrote them.
    const writer = entry?.fields?.writtenAt && entry.fields.writtenBy;
    const somebody = authorName ?? participant?.name ?? participant?.email ?? t('people.somebody');
    // Another program of theirs is named, too.
    const name = writer || (deviceName ? `${somebody} (${deviceName})` : somebody);
    if (!entry) return t(`activity.${kind}`, { name });
    const text = itemText ?? entry.fields?.text ?? t('activity.anItem');
    const value = entry.fields?.text ?? '';
    const [shop] = entry.item ? [] : Object.entries(entry.fields ?? {}).filter(([key]) => key.startsWith('aisles:'));
    if (shop) return t(shop[1] === null ? 'activity.shop.gone' : 'activity.shop', { name, shop: shop[0].slice('aisles:'.length) });
    const edited = entry.operation === 'edit' ? Object.entries(entry.fields ?? {}) : [], [[field, to] = []] = edited;
    if (edited.length === 1 && field === 'text') return t(former ? 'activity.renamed' : 'activity.renamedTo', { name, text: former, value: to });
    if (edited.length === 1 && to === null && has(`activity.no.${field}`)) return t(`activity.no.${field}`, { name, text });
    const changed = edited.length
        ? Object.entries(entry.fields).map(([key, to]) => `${t(`item.${key}`)}: ${typeof to !== 'string' ? '–' : key === 'every' ? inWords(to) : to}`).join(', ') : '';
    const key = entry.operation === 'recolourList' && entry.fields && 'aisles' in entry.fields ? 'activity.orderAisles' : `activity.${entry.operation}`;
    // A later service may have operations without a sentence.
    const said = t(has(key) ? key : 'activity.other', { name, text, value, changed });
    return entry.cause && entry.cause !== 'edit' ? `${said} (${t(entry.cause)})` : said;
}

/** A slider over the list's history, and a button to restore the list. */
async function backInTime(device, screen, place, dialog, former) {
    const { id } = screen;
    const head = device.rows.get(id)?.through ?? 0;
    const slider = h('input', { type: 'range', min: 1, max: Math.max(1, head), value: head, 'aria-label': t('replay.slider') });
    const label = h('p.moment', { role: 'status' }), made = h('p.hint.step', { dir: 'auto' }), preview = h('ul.preview', { tabindex: 0, 'aria-label': t('replay.title') });
    const put = h('button.primary.wide', { disabled: true }, t('replay.put'));
    fill(place, h('p.hint', {}, t('replay.hint')), slider, label, made, preview, put);
    const entries = (await device.store.journal(id)).stored.entries;
    const { account } = device.session, people = device.rows.get(id)?.share?.participants ?? [];
    const person = id => people.find(person => person.account === id) ?? (id === account.id ? account : {});
    let round = 0;
    const look = async () => {
        const mine = ++round, through = Number(slider.value);
        try {
            const state = await fromService(`lists/${id}/replay?through=${through}`).catch(error => known(error, through));
            if (mine !== round) return;
            // The last entry on this device up to that moment.
            const at = entries.findLast(entry => entry.sequence <= through)?.receivedAt;
            const devices = waitedFor(state.waitingFor ?? [], person), waiting = devices ? t('replay.waitingFor', { devices }) : t('replay.waiting');
            fill(label, at ? moment(at) : '', state.status === 'waiting' && ` · ${waiting}`, state.isKnown && ` · ${t('replay.known')}`);
            const step = entries.find(entry => entry.sequence === through);
            fill(made, step ? sentence({ entry: step, authorName: nameOf(person(step.author)), itemText: state.items.find(({ id }) => id === step.item)?.text }, former.get(step.id)) : '');
            const items = [...state.items.filter(item => !item.markedOff), ...state.items.filter(item => item.markedOff)];
            fill(preview, items.slice(0, 40).map(item => h(item.markedOff ? 'li.done' : 'li', { dir: 'auto' }, item.text)),
                state.items.length > 40 && h('li', {}, t('replay.more', { n: state.items.length - 40 })));
            // What this device knows may lack items whose entries the service has discarded and brought back.
            put.disabled = through >= head || state.isKnown;
        } catch (error) {
            fill(label, explain(error));
        }
    };
    /** The state as this device's entries give it. */
    const known = (error, through) => {
        if (!isWithoutService(error)) throw error;
        const list = device.trolley.openList({ entries: entries.filter(entry => entry.sequence <= through) });
        try { return { ...list.state(), isKnown: true }; } finally { list.close(); }
    };
    let timer;
    slider.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(look, 120); });
    let isPutting = false;
    put.addEventListener('click', async () => {
        // A second tap means the same. The button keeps the focus, so it isn't disabled.
        if (isPutting) return;
        isPutting = true;
        try {
            const [target, later, { stored, waiting }] = await Promise.all(
                [call('GET', `lists/${id}/replay?through=${slider.value}`), device.later(), device.store.journal(id)]);
            // What waits to be shown goes back, too.
            const { drafts } = later.restoration({ ...stored, entries: [...stored.entries, ...waiting] }, target);
            if (!drafts.length) return toast(t('replay.same'));
            if (!await ask(t('replay.put'), t('replay.put.text', { n: drafts.length }), t('replay.put'))) return;
            const made = await screen.changes.perform(drafts);
            if (!made) return;
            dialog.close();
            screen.changes.offerUndo(t('replay.done'), made[0]);
        } catch (error) {
            toast(explain(error), { isError: true });
        } finally {
            isPutting = false;
        }
    });
    await look();
}
