// The operator's page: how the service does. It changes nothing, and shows nobody's words.

import { call } from '../device/transport.js';
import { fill, h, icon } from '../dom.js';
import { addTexts, language, t, time } from '../text.js';
import { saveAs } from './save.js';
import { explain, sheet, toast } from './sheet.js';

/** Minutes that a chart shows. */
const MINUTES = 60;

export async function show() {
    addTexts((await import(`../text/operator.${language}.js`)).default);
    const page = h('div.queues', { 'aria-live': 'polite' });
    sheet(t('account.service'), page, h('button.quiet.wide', { onclick: () => look() }, t('operator.again')),
        h('button.menu-item', { onclick: () => save() }, icon('down'), t('operator.log')), h('p.hint', {}, t('operator.log.hint')));
    await look();

    async function look() {
        try {
            const overview = await call('GET', 'operator');
            fill(page, checks(overview), requests(overview.requests), totals(overview), runs(overview.runs), deliveries(overview.deadLetters),
                largest(overview.lists), h('p.hint', {}, t('operator.at', { time: time(overview.at) })));
        } catch (error) {
            const text = error.code === 'permissionFailure' ? t('operator.none') : error.code ? explain(error) : t('operator.offline');
            fill(page, h('p.note', { role: 'alert' }, text));
        }
    }
}

async function save() {
    try {
        const log = await call('GET', 'operator/diagnostics');
        saveAs('trolley-service-diagnostics.json', new Blob([JSON.stringify(log, null, 2)], { type: 'application/json' }));
    } catch (error) {
        toast(explain(error), { isError: true });
    }
}

const section = (title, ...content) => h('section.queue', {}, h('h3', {}, title), ...content);
function rows(lines) {
    const list = h('ul.entries', {}, lines.map(([text, ...subs]) =>
        h('li', {}, h('span.words', {}, h('span.text', { dir: 'auto' }, text), subs.filter(Boolean).map(sub => h('span.sub', {}, sub))))));
    // The page scrolls, and not each part of it.
    list.style.maxHeight = 'none';
    return list;
}

function checks({ findings, versions, migrationsWaiting, processes }) {
    const found = verdict => findings.filter(finding => finding.verdict === verdict);
    const open = [...found('failed'), ...found('warning')], fine = found('ok');
    return section(t('operator.health'),
        open.length > 0 && rows(open.map(({ verdict, check, message, advice }) => [`${t(`operator.${verdict}`)}: ${check}`, message, advice && `→ ${advice}`])),
        h('details.part', {}, h('summary', {}, icon('check'), t('operator.fine', { n: fine.length })), rows(fine.map(({ check, message }) => [check, message]))),
        h('p.hint', {}, t('operator.version', versions), '. ', migrationsWaiting.length ? t('operator.migrations', { names: migrationsWaiting.join(', ') }) : t('operator.upToDate')),
        processes.map(process => h('p.hint', {}, t('operator.process', { ...process, time: time(process.startedAt) }))));
}

function requests({ minutes, connections }) {
    const only = h('p.hint', {}, t('operator.process.only', { n: connections }));
    if (!minutes.length) return section(t('operator.requests'), h('p.hint', {}, t('operator.quiet')), only);
    const sum = name => minutes.reduce((sum, minute) => sum + minute[name], 0), most = name => Math.max(...minutes.map(minute => minute[name]));
    const count = t('operator.requests.label', { n: number(sum('requests')), most: number(most('requests')), failed: number(sum('failed')) });
    const slow = t('operator.latency.label', { slowest: duration(most('p99')) });
    return [
        section(t('operator.requests'), chart(minutes, 'requests', 'failed', count), h('p.hint', {}, count), only),
        section(t('operator.latency'), chart(minutes, 'p99', 'p50', slow), h('p.hint', {}, slow)),
    ];
}

/** Bars of the last hour's minutes, now at the end: `faint` is never less than `full`. The label says it in words. */
function chart(minutes, faint, full, label) {
    const element = (name, values) => {
        const made = document.createElementNS('http://www.w3.org/2000/svg', name);
        for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
        return made;
    };
    const svg = element('svg', { viewBox: `0 0 ${4 * MINUTES} 60`, width: '100%', height: 60, preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
    const most = Math.max(...minutes.map(minute => minute[faint]));
    for (const minute of minutes) {
        for (const [name, opacity] of [[faint, 0.4], [full, 1]]) {
            if (!minute[name]) continue;
            const height = Math.max(1, 58 * minute[name] / most);
            svg.append(element('rect', { x: 4 * (MINUTES - 1 - minute.ago), y: 60 - height, width: 3, height, fill: 'currentColor', opacity }));
        }
    }
    return svg;
}

function totals({ totals: { accounts, devicesSignedIn, lists, entries, bytes } }) {
    const counted = (key, n) => t(key, { n });
    return section(t('operator.totals'), h('p', {}, [
        counted('operator.accounts', accounts), counted('operator.devices', devicesSignedIn), counted('operator.lists', lists),
        entries !== undefined && counted('operator.entries', entries), t('operator.size', { size: size(bytes) }),
    ].filter(Boolean).join(' · ')));
}

function runs(all) {
    const line = run => [`${t(`operator.${run.task}`)}, ${time(run.endedAt)}`, t(`operator.${run.task}.run`, {
        ...run, size: size(run.bytes ?? 0), length: duration(run.milliseconds),
    })];
    return section(t('operator.runs'), all.length ? rows(all.map(line)) : h('p.hint', {}, t('operator.runs.none')),
        !all.some(run => run.task === 'backup') && h('p.hint', {}, t('operator.backup.none')));
}

const deliveries = all => section(t('operator.deliveries'), all.length
    ? rows(all.map(({ host, failure, attempts, failedAt }) => [host, t('operator.delivery', { failure, attempts, time: time(failedAt) })]))
    : h('p.hint', {}, t('operator.deliveries.none')));

const largest = lists => lists.length > 0 && section(t('operator.largest'), rows(lists.map(({ list, bytes, entries, people, compressedAt }) => [
    list, t(compressedAt ? 'operator.list' : 'operator.list.never', { size: size(bytes), entries: number(entries), people, time: compressedAt && time(compressedAt) }),
])));

// MARK: Figures

const formatted = (value, options) => new Intl.NumberFormat(language, options).format(value);
const number = value => formatted(value);

/** '1.5 MB'. */
function size(bytes) {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
    const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
    return formatted(bytes / 1000 ** power, { style: 'unit', unit: units[power], maximumFractionDigits: power ? 1 : 0 });
}

/** '12 ms' or '1.5 sec'. */
function duration(milliseconds) {
    const [value, unit] = milliseconds < 1000 ? [milliseconds, 'millisecond'] : [milliseconds / 1000, 'second'];
    return formatted(value, { style: 'unit', unit, maximumSignificantDigits: 2 });
}
