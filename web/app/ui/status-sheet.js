// The sheet of the status: both queues, rejected changes and their reasons, the last failures, and the diagnostic log.

import { fill, h, icon, iconButton } from '../dom.js';
import { addTexts, has, language, t, time } from '../text.js';
import { copy } from './copy.js';
import { saveAs } from './save.js';
import { failureOf, standing } from './status.js';
import { open } from './shell.js';
import { explain, sheet, toast } from './sheet.js';

export async function show(shell) {
    addTexts((await import(`../text/own.${language}.js`)).default);
    const { device } = shell;
    const head = h('div.standing'), body = h('div.queues'), figures = h('div.queues');
    const content = h('input', { type: 'checkbox' });
    /** The refused changes that are being made again. */
    const underWay = new Set();
    const dialog = sheet(t('status.title'), head,
        h('button.primary.wide', { onclick: async event => {
            const button = event.currentTarget;
            button.disabled = true;
            await device.sync('manual');
            button.disabled = false;
        } }, t('status.now')), body,
        h('details.part', {}, h('summary', {}, icon('list'), t('status.more')), figures,
            h('label.told', {}, content, h('span.words', {}, t('status.withContent'), h('span.sub', {}, t('status.withContent.hint')))),
            h('button.menu-item', { onclick: () => copy(diagnosticLog()) }, icon('copy'), t('status.copy')),
            h('button.menu-item', { onclick: () => save() }, icon('down'), t('status.save')),
            h('button.menu-item', { onclick: async () => { if (await device.refetch()) toast(t('status.refetching')); } }, icon('cloud'), t('status.refetch')),
            h('p.hint', {}, t('status.version', { version: new URL(import.meta.url).pathname.split('/')[2] }))));
    const render = async () => {
        const { text, tone, icon: name } = standing(device);
        const code = failureOf(device);
        fill(head, icon(name), h('span.words', {}, h('span.text', {}, text),
            code && h('span.sub', {}, reason(code))),
        code === 'incompatibleVersion' && h('button.quiet', { onclick: () => shell.update() }, t('update.now')),
        code === 'notAuthenticated' && h('button.quiet', { onclick: () => { dialog.close(); open('account', shell, 'signIn'); } }, t('signIn')));
        head.dataset.tone = tone;
        const { lists, rejected, notices } = await device.store.queues();
        fill(body, refused(rejected), told(notices), lists.map(queue));
        fill(figures, byOperation(t('status.upload'), lists.flatMap(({ upload }) => upload.map(({ entry }) => entry))),
            byOperation(t('status.toApply'), lists.flatMap(({ toApply }) => toApply)), failures(device.pace.lately ?? []));
    };
    let timer;
    const soon = () => { clearTimeout(timer); timer = setTimeout(() => render().catch(() => {}), 100); };
    device.addEventListener('progress', soon);
    device.addEventListener('list', soon);
    dialog.addEventListener('close', () => {
        device.removeEventListener('progress', soon);
        device.removeEventListener('list', soon);
    });
    await render();

    async function diagnosticLog() {
        const { diagnostics } = await import('../device/diagnostics.js');
        return diagnostics(device, { withContent: content.checked });
    }

    async function save() {
        try {
            saveAs('trolley-diagnostics.json', new Blob([await diagnosticLog()], { type: 'application/json' }));
        } catch (error) {
            toast(explain(error), { isError: true });
        }
    }

    function name(id) { return device.states.get(id)?.name ?? t('list.unnamed'); }

    function queue({ row, upload, toApply }) {
        const line = (label, entries) => entries.length > 0 && h('details', {},
            h('summary', {}, `${label}: ${entries.length}`), h('ul.entries', {}, entries.slice(0, 200).map(entry =>
                h('li', { dir: 'auto' }, `${t(`operation.${entry.operation}`)} ${entry.fields?.text ?? textOf(row.id, entry.item)}`)),
            entries.length > 200 && h('li.sub', {}, t('status.furtherEntries', { n: entries.length - 200 }))));
        return h('section.queue', {}, h('h3', { dir: 'auto' }, name(row.id)),
            h('p.sub', {}, row.local ? t('lists.local') : row.received ? t('status.received', { time: time(row.received) }) : ''),
            line(t('status.upload'), upload.map(({ entry }) => entry)), line(t('status.toApply'), toApply));
    }

    function textOf(list, item) { return device.states.get(list)?.items.find(other => other.id === item)?.text ?? ''; }

    function refused(entries) {
        if (!entries.length) return null;
        return h('section.queue.refused', {}, h('h3', {}, t('status.rejected')), h('ul.entries', {}, entries.map(({ key, list, listName, entry, code, at }) =>
            h('li', {}, h('span.words', {}, h('span.text', { dir: 'auto' }, `${t(`operation.${entry.operation}`)} ${entry.fields?.text ?? textOf(list, entry.item)}`),
                h('span.sub', {}, [listName, has(`error.${code}`) ? t(`error.${code}`, { detail: '' }) : code, time(at)].filter(Boolean).join(' · '))),
            device.rows.has(list) && h('button.quiet.small', { disabled: underWay.has(key), onclick: async event => {
                event.currentTarget.disabled = true;
                underWay.add(key);
                const { operation, item, after, fields, cause, reverts, batch } = entry;
                // If it fails, the change stays here, and the device has said why.
                await device.performAll([{ id: list, drafts: [{ operation, item, after, fields, cause, reverts }], batch }], key)
                    .then(() => device.runs.countRefused()).catch(() => {});
                underWay.delete(key);
                soon();
            } }, t('status.again')),
            iconButton('close', t('status.dismiss'), async () => { await device.dismiss('rejected', key); soon(); })))));
    }

    function told(notices) {
        if (!notices.length) return null;
        return h('section.queue', {}, h('ul.entries', {}, notices.map(({ key, listName, reason, keptAside, at }) =>
            h('li', {}, h('span.words', {}, h('span.text', { dir: 'auto' }, t(`gone.${reason}`, { name: listName ?? t('list.unnamed') })),
                h('span.sub', {}, [time(at), keptAside && t('gone.kept', { n: keptAside })].filter(Boolean).join(' · '))),
            iconButton('close', t('status.dismiss'), async () => { await device.dismiss('notices', key); soon(); })))));
    }
}

/** The code of a failure of syncing as a sentence. */
function reason(code) {
    if (code === 'notAuthenticated') return t('session.ended');
    if (code === 'requestRateLimited') return t('error.serviceUnavailable');
    return has(`error.${code}`) ? explain({ code }) : code;
}

const counted = entries => entries.reduce((all, { operation }) => ({ ...all, [operation]: (all[operation] ?? 0) + 1 }), {});

function byOperation(label, entries) {
    if (!entries.length) return null;
    return h('section.queue', {}, h('h3', {}, label), h('ul.entries', {}, Object.entries(counted(entries)).map(([operation, n]) =>
        h('li', {}, `${has(`operation.${operation}`) ? t(`operation.${operation}`) : operation}: ${n}`))));
}

function failures(lately) {
    if (!lately.length) return null;
    return h('section.queue', {}, h('h3', {}, t('status.failures')), h('ul.entries', {}, lately.map(({ code, count, at }) =>
        h('li', {}, h('span.words', {}, h('span.text', {}, reason(code)), h('span.sub', {}, [`${count} ×`, time(at)].join(' · ')))))));
}
