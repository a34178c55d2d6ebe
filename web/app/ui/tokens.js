// Keys for the person's other programs: task apps, scripts, Home Assistant. Each opens what the person says, and is shown once.

import { call } from '../device/transport.js';
import { fill, h, iconButton } from '../dom.js';
import { addTexts, language, t, time } from '../text.js';
import { copy } from './copy.js';
import { ask, explain, field, form, sheet, toast } from './sheet.js';

const DAY = 86_400_000;
/** After how many days a key ends; 0: it doesn't. */
const ENDS = [0, 30, 365];

export async function show(shell) {
    addTexts((await import(`../text/tokens.${language}.js`)).default);
    const { device } = shell;
    const made = h('div.form', { hidden: true }), known = h('ul.people');
    const named = id => device.states.get(id)?.name ?? t('list.unnamed');
    // A list of this device only is on no service.
    const lists = [...device.rows.values()].filter(row => !row.local).map(({ id }) => option('checkbox', 'list', id, named(id)));
    const none = h('p.problem', { role: 'alert', hidden: true }, t('tokens.lists.none'));
    const chosen = h('fieldset.form', { hidden: true }, h('legend.hidden', {}, t('tokens.lists')), lists, none);
    const which = value => option('radio', 'which', value, t(`tokens.${value}`), { checked: value === 'all', onchange: () => { chosen.hidden = value === 'all'; } });
    const make = form(t('tokens.make'), async values => {
        const some = values.which === 'some' ? [...chosen.querySelectorAll('input:checked')].map(input => input.value) : null;
        none.hidden = some?.length !== 0;
        if (!none.hidden) return;
        const token = await call('POST', 'tokens', {
            name: values.name.trim(), ...(some && { lists: some }), ...(values.readOnly && { readOnly: true }),
            ...(+values.end && { expiresAt: new Date(Date.now() + values.end * DAY).toISOString() }),
        });
        make.reset();
        chosen.hidden = true;
        showMade(token);
        await render();
    }, field(t('tokens.name'), 'name', { required: true, limit: 100, placeholder: t('tokens.name.example'), autocomplete: 'off' }, t('tokens.name.hint')),
    h('div', { role: 'radiogroup', 'aria-label': t('tokens.lists') }, which('all'), which('some')), chosen,
    option('checkbox', 'readOnly', 'yes', t('tokens.readOnly')), endField());
    sheet(t('account.tokens'), h('p.hint', {}, t('tokens.lead')), made, known, make);
    await render();

    async function render() {
        try {
            const { tokens } = await call('GET', 'tokens');
            fill(known, tokens.map(token => h('li', {}, h('span.words', {}, h('span.text', { dir: 'auto' }, token.name), h('span.sub', {}, described(token))),
                iconButton('close', t('tokens.revoke', { name: token.name }), () => revoke(token)))));
        } catch (error) {
            fill(known, h('li.note', {}, explain(error)));
        }
    }

    function described({ lists, readOnly, lastUsedAt, expiresAt }) {
        return [
            lists ? t('tokens.opens', { n: lists.length, names: lists.map(named).join(', ') }) : t('tokens.all'), readOnly && t('tokens.readOnly'),
            lastUsedAt ? t('tokens.used', { time: time(lastUsedAt) }) : t('tokens.unused'),
            expiresAt && t(Date.parse(expiresAt) < Date.now() ? 'tokens.over' : 'tokens.until', { time: time(expiresAt) }),
        ].filter(Boolean).join(' · ');
    }

    async function revoke(token) {
        if (!await ask(t('tokens.revoke', { name: token.name }), t('tokens.revoke.text'), t('tokens.revoke.action'), { isDangerous: true })) return;
        try {
            await call('DELETE', `tokens/${token.id}`);
            made.hidden = true;
        } catch (error) {
            toast(explain(error), { isError: true });
        }
        await render();
    }

    function showMade({ name, token }) {
        const input = h('input', { value: token, readonly: true, 'aria-label': t('tokens.key', { name }), onfocus: event => event.target.select() });
        fill(made, h('p', { role: 'status' }, t('tokens.made', { name })),
            h('div.linkline', {}, input, iconButton('copy', t('tokens.copy'), () => { input.select(); copy(token); })),
            h('p.hint', {}, t('tokens.tasks', { address: `${location.origin}/dav/`, email: device.session.account.email })));
        made.hidden = false;
        made.scrollIntoView({ block: 'nearest' });
    }
}

const option = (type, name, value, label, values) => h('label.told', {}, h('input', { type, name, value, ...values }), h('span', { dir: 'auto' }, label));

const endField = () => h('div.field', {}, h('label', { for: 'token-end' }, t('tokens.end')), h('select', { id: 'token-end', name: 'end' },
    ENDS.map(days => h('option', { value: days }, days ? t('tokens.end.days', { n: days }) : t('tokens.end.never')))));
