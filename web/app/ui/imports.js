// Importing: a recipe, or a file of another program. The person sees the lines, chooses some, and says where they go.

import { addItems, read } from '../device/documents.js';
import { inOrder } from '../device/in-order.js';
import { checkSizes } from '../device/limits.js';
// At hand where a list is made: the network may be gone by then.
import '../device/making.js';
import { inOrder as inPersonsOrder } from '../device/places.js';
import { ordersOf } from '../device/templates.js';
import { fill, h } from '../dom.js';
import { addTexts, language, t } from '../text.js';
import { go } from './back.js';
import { COLOURS } from './colours.js';
import { lines } from './lines.js';
import { personOn } from './people.js';
import { explain, saveWith, sheet, toast } from './sheet.js';

/** Milliseconds after a key, until the text is read. */
const READ_AFTER = 300;
const MEANINGS = ['', 'text', 'quantity', 'unit', 'note', 'aisle', 'mark', 'list'];
/** Lines from which a pasted text may be a recipe, and the milliseconds for which the page waits for the module that knows. */
const FEWEST_LINES = 3;
const PATIENCE = 3000;

/**
 * Offers the lines of a pasted recipe, or of another program's export.
 * @returns {Promise<boolean>}  false: the text is neither, so that each line is an item
 */
export async function offer(shell, screen, text) {
    if (!/^\s*[<{[]/.test(text) && text.trim().split(/\s*[\n\r\u2028\u2029]\s*/).length < FEWEST_LINES) return false;
    const answer = await Promise.race([read(screen.device, text), new Promise(resolve => setTimeout(resolve, PATIENCE))]);
    // A line of a list may begin with a bracket, but not with a brace.
    if (!answer?.recipe && !(answer?.lists && /^\s*{/.test(text))) return false;
    await show(shell, screen, { text });
    return true;
}

/**
 * @param {import('./list.js').ListScreen | null} screen  the list that the lines go to, unless the person chooses another one
 * @param {{text?: string, file?: string}} [given]  what is imported, and the file's name
 */
export async function show(shell, screen = null, given = {}) {
    addTexts((await import(`../text/imports.${language}.js`)).default);
    const { device } = shell, asking = inOrder();
    let source = given.text ?? '', options = { file: given.file }, answer = {}, choices = new Map(), timer;
    /** The lists that a try has made, with the lines that they got: the next try does the rest. */
    const made = new Map();

    const field = h('textarea', {
        id: 'import-text', rows: source ? 4 : 8, dir: 'auto', spellcheck: 'false',
        oninput: () => {
            clearTimeout(timer);
            timer = setTimeout(() => take(field.value), READ_AFTER);
        },
    });
    field.value = source;
    const file = h('input', {
        type: 'file', id: 'import-file', accept: '.txt,.md,.csv,.tsv,.json,.html,.htm,text/*,application/json',
        onchange: () => {
            const [chosen] = file.files;
            if (!chosen) return;
            field.value = '';
            take(chosen, chosen.name);
        },
    });
    const problem = h('p.problem', { role: 'alert', hidden: true }), found = h('div.form');
    /** The list that the lines go to; '': new ones. */
    let place = screen?.id ?? '';
    const target = h('select', { id: 'import-to', onchange: () => { place = target.value; } });
    const button = h('button.primary.wide', { onclick: () => add() });
    const foot = h('div.form', { hidden: true }, h('div.field', {}, h('label', { for: target.id }, t('import.to')), target), button);
    const dialog = sheet(t('import.open'),
        h('div.form', {},
            h('div.field', {}, h('label', { for: field.id }, t('import.text')), field, h('p.hint', {}, t('import.text.hint'))),
            h('div.field', {}, h('label', { for: file.id }, t('import.file')), file, h('p.hint', {}, t('import.file.hint')))),
        problem, found, foot);
    saveWith(dialog, () => add(), { isChanged: () => items().length > 0, action: () => button.textContent });
    // A tap beside it is no decision about what it shows.
    dialog.beside = () => dialog.leave();
    if (source) await refresh();
    else field.focus();

    /** @param {string | File} given  a text or a file */
    function take(given, name) {
        source = given;
        options = { file: name };
        choices = new Map();
        made.clear();
        return refresh();
    }

    async function refresh() {
        const isNews = asking();
        let news;
        try {
            news = (source.size ?? source.trim().length) ? await read(device, source, options) : {};
        } catch (error) {
            if (isNews()) tell(explain(error));
            return;
        }
        if (!isNews()) return;
        answer = news;
        // A table without names of columns that anybody knows: the person says what they mean.
        const isAsked = answer.problem === 'noItemColumn' && answer.table;
        tell(answer.problem && !isAsked ? t(`import.problem.${answer.problem}`, { line: answer.line }) : '');
        draw();
    }

    function tell(text) { fill(problem, text).hidden = !text; }

    // MARK: What was found

    /**
     * The lines of each list, and what a new list begins with.
     * @returns {{name: string, colour?: string, aisles?: string[], shops?: {name: string, aisles: string[]}[], lines: object[]}[]}
     */
    function groups() {
        const fileName = options.file?.replace(/\.[^.]*$/, '');
        const { recipe, lists = [] } = answer;
        if (recipe) return [{ name: recipe.name ?? fileName, lines: recipe.lines.map(({ fields, isProposed }) => ({ fields, isChosen: isProposed })) }];
        return lists.map(list => ({ ...list, name: list.name ?? fileName, lines: list.items.map(item => ({ ...item, isChosen: true })) }));
    }

    function isChosen(group, index, line) { return choices.get(`${group} ${index}`) ?? line.isChosen; }

    /** The chosen lines of each list. */
    function chosen() {
        return groups().map((group, at) => ({ ...group, at, lines: group.lines.filter((line, index) => isChosen(at, index, line)) })).filter(({ lines }) => lines.length);
    }

    function items() { return chosen().flatMap(({ lines }) => lines); }

    function draw() {
        const all = groups();
        fill(found, answer.table && columns(answer.table), answer.recipe && portions(answer.recipe), all.map(drawGroup),
            answer.leftOut?.length > 0 && h('p.hint', {}, t('import.leftOut', { names: answer.leftOut.join(', ') })));
        const places = inPersonsOrder(device.rows.values()).filter(row => device.states.has(row.id)
            && personOn(row, device.session.account.id)?.permission !== 'readOnly');
        if (!places.some(({ id }) => id === place)) place = '';
        const names = [...new Set(all.map(({ name }) => name || t('list.unnamed')))].join(', ');
        fill(target, h('option', { value: '' }, all.length > 1 ? t('import.newLists', { n: all.length, names }) : t('import.newList', { name: names })),
            places.map(({ id }) => h('option', { value: id, selected: id === place }, device.states.get(id).name || t('list.unnamed'))));
        foot.hidden = !all.length;
        count();
    }

    function drawGroup({ name, lines: offered }, group, { length }) {
        const legend = h('legend', { class: length > 1 || answer.recipe ? null : 'hidden', dir: 'auto' }, name || t('list.unnamed'));
        const shown = offered.map(({ fields: { text, quantity, note, aisle }, isMarkedOff }) => ({ text, about: [quantity, note, aisle], isDone: isMarkedOff }));
        return lines(legend, shown, {
            isChosen: index => isChosen(group, index, offered[index]),
            choose: (index, value) => {
                choices.set(`${group} ${index}`, value);
                count();
            },
        });
    }

    function portions({ portions }) {
        const number = h('input', { id: 'import-portions', type: 'number', inputmode: 'numeric', min: 1, max: 1000, value: portions });
        number.addEventListener('change', () => {
            const wanted = Number(number.value);
            if (!Number.isInteger(wanted) || wanted < 1 || wanted > 1000) return void (number.value = portions ?? '');
            // A recipe that doesn't say how many it makes is told so first.
            options = { ...options, ...(portions === null ? { makes: wanted } : { portions: wanted }) };
            refresh();
        });
        return h('div.field', {}, h('label', { for: number.id }, t(portions === null ? 'import.makes' : 'import.portions')), number);
    }

    function columns({ names, meanings, samples }) {
        const chosen = options.meanings ?? meanings, hasNames = options.isFirstRowNames ?? true;
        const change = values => {
            options = { ...options, meanings: chosen, isFirstRowNames: hasNames, ...values };
            choices = new Map();
            refresh();
        };
        return h('details.part', { open: answer.problem === 'noItemColumn' || !!options.meanings }, h('summary', {}, t('import.columns')),
            h('label.told', {}, h('input', { type: 'checkbox', checked: hasNames, onchange: event => change({ isFirstRowNames: event.target.checked }) }),
                h('span', {}, t('import.names'))),
            names.map((name, column) => {
                const select = h('select', { id: `import-column-${column}`, onchange: event => change({ meanings: names.map((_, at) => at === column ? event.target.value : chosen[at] ?? '') }) },
                    MEANINGS.map(meaning => h('option', { value: meaning, selected: meaning === (chosen[column] ?? '') }, t(`import.column.${meaning || 'none'}`))));
                const cells = [hasNames ? null : name, ...samples.map(row => row[column])].filter(Boolean).join(' · ');
                return h('div.field', {}, h('label', { for: select.id, dir: 'auto' }, hasNames && name ? name : t('import.column', { n: column + 1 })),
                    select, cells && h('p.hint', { dir: 'auto' }, cells.slice(0, 120)));
            }));
    }

    function count() {
        const n = items().length;
        fill(button, t('import.add', { n }));
        button.disabled = n === 0;
    }

    // MARK: Adding

    async function add() {
        const wanted = chosen(), n = items().length;
        if (!n || button.disabled) return;
        button.disabled = true;
        tell('');
        try {
            const list = place ? await addTo(place, wanted) : await makeLists(wanted);
            dialog.close();
            if (screen?.id === list) screen.changes.offerUndo(t('add.many', { n }));
            else toast(t('add.many', { n }));
            go(`#/list/${list}`);
        } catch (error) {
            tell(explain(error));
            problem.scrollIntoView({ block: 'center' });
            button.disabled = false;
        }
    }

    async function addTo(list, wanted) {
        await addItems(device, list, wanted.flatMap(({ lines }) => lines));
        return list;
    }

    /** @returns the first one */
    async function makeLists(wanted) {
        // Nothing is made of what can't be made whole.
        checkSizes(wanted.flatMap(({ name, aisles, shops, lines }) => [{ fields: { text: name } }, ...ordersOf(aisles, shops), ...lines]));
        const ids = [];
        for (const { at, name, colour, aisles, shops, lines } of wanted) {
            const key = `${at} ${name}`, shown = COLOURS.includes(colour) ? colour : COLOURS[device.rows.size % COLOURS.length];
            if (!device.rows.has(made.get(key)?.id)) made.set(key, { id: await device.makeList(name || t('list.unnamed'), shown, ordersOf(aisles, shops)), lines: '' });
            const list = made.get(key), all = JSON.stringify(lines);
            // The person may have chosen others since.
            if (list.lines !== all) await addItems(device, list.id, lines);
            list.lines = all;
            ids.push(list.id);
        }
        return ids[0];
    }
}

