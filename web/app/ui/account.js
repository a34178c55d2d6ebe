// The person's account: language and look, devices, password, export, deletion.

import { call } from '../device/transport.js';
import { CATALOGUES } from '../device/goods.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { LANGUAGES, language, t, time } from '../text.js';
import { face } from './people.js';
import { saveAs } from './save.js';
import { open } from './shell.js';
import { ask, explain, field, form, sheet, toast } from './sheet.js';

export function show(shell, part) {
    const { device } = shell;
    const { account } = device.session;
    if (part === 'signIn') return signInAgain(shell);
    const devices = h('ul.people'), address = h('div.form'), notices = h('div.form');
    const shownEmail = h('span.sub', {}, account.email);
    const service = h('button.menu-item', { hidden: !account.operator, onclick: () => { dialog.close(); open('operator', shell); } }, icon('cloud'), t('account.service'));
    const fold = (name, label, ...content) => h('details.part', {}, h('summary', {}, icon(name), label), ...content);
    const dialog = sheet(t('account.title'),
        h('div.me', {}, face({ ...account, account: account.id }),
            h('span.words', {}, h('span.text', { dir: 'auto' }, account.name), shownEmail),
            iconButton('edit', t('account.profile'), () => { dialog.close(); open('profile', shell); })),
        h('div.pair', {},
            choice(t('account.language'), LANGUAGES, language, async value => {
                await device.saveSettings({ language: value });
                location.reload();
            }),
            choice(t('account.look'), { '': t('look.auto'), light: t('look.light'), dark: t('look.dark') }, device.settings.theme ?? '', async value => {
                if (value) document.documentElement.dataset.theme = value;
                else delete document.documentElement.dataset.theme;
                await device.saveSettings({ theme: value });
            })),
        choice(t('account.catalogue'), { '': t('account.catalogue.auto'), ...CATALOGUES, none: t('account.catalogue.none') }, device.settings.catalogue ?? '',
            value => device.saveSettings({ catalogue: value || undefined }), t('account.catalogue.hint')),
        service,
        h('div.menu', {}, fold('bell', t('notices.title'), notices), fold('list', t('account.devices'), devices,
            h('button.menu-item', { onclick: () => { dialog.close(); open('tokens', shell); } }, icon('share'), t('account.tokens'))),
        fold('mail', t('account.email'), address),
        fold('edit', t('account.password'), form(t('account.password.change'), async values => {
            await withPassword(() => call('PUT', 'account/password', values));
            dialog.close();
            toast(t('account.password.changed'));
        }, field(t('account.password.now'), 'password', { type: 'password', required: true, autocomplete: 'current-password' }),
        field(t('account.password.new'), 'newPassword', {
            type: 'password', required: true, minlength: 8, limit: 200, autocomplete: 'new-password',
        }, t('password.hint')))),
        h('button.menu-item', { onclick: () => { dialog.close(); open('help', shell); } }, icon('help'), t('help.title')),
        h('button.menu-item', { onclick: () => download() }, icon('down'), t('account.export')),
        h('button.menu-item', { onclick: async () => { if (await shell.signOut()) dialog.close(); } }, icon('back'), t('signOut')),
        fold('trash', t('account.delete'), h('p.hint', {}, t('account.delete.text')), form(t('account.delete'), async values => {
            if (!await ask(t('account.delete'), t('account.delete.text'), t('account.delete'), { isDangerous: true })) return;
            await withPassword(() => call('DELETE', 'account', values));
            dialog.close();
            await device.signOut({ isOver: true });
        }, field(t('password'), 'password', { type: 'password', required: true, autocomplete: 'current-password' })))));
    dialog.querySelector('.part:last-child [type=submit]').classList.add('danger');
    import('./notices.js').then(({ showDevice }) => showDevice(notices, device)).catch(error => fill(notices, h('p.hint', {}, explain(error))));
    showDevices();
    showAddress().catch(error => fill(address, h('p.hint', {}, explain(error))));

    /** Verifies the account's address, or changes it, by a code that is mailed there. */
    async function showAddress() {
        const [{ mail }, present] = await Promise.all([call('GET', 'config'), device.refreshAccount()]);
        shownEmail.textContent = present.email;
        service.hidden = !present.operator;
        const standing = h('p.hint', {}, t(present.emailVerified ? 'account.email.verified' : 'account.email.unverified'));
        if (!mail) return fill(address, standing, h('p.hint', {}, t('account.email.noMail')));
        const { mailedCode, refused } = await import('./proof.js');
        const email = field(t('email'), 'email', { type: 'email', required: true, value: present.email, limit: 254, autocomplete: 'email' });
        const password = field(t('account.password.now'), 'password', { type: 'password', autocomplete: 'current-password' });
        const input = email.querySelector('input');
        const isOther = () => input.value.trim().toLowerCase() !== present.email.toLowerCase();
        // A new address needs the password, too.
        const adapt = () => {
            password.hidden = !isOther();
            password.querySelector('input').required = isOther();
        };
        input.addEventListener('input', adapt);
        adapt();
        fill(address, standing, form(t('account.email.confirm'), async values => {
            const body = { email: values.email.trim(), code: values.code, ...(isOther() && { password: values.password }) };
            const answer = call('PUT', 'account/email', body);
            await device.noteAccount(await (isOther() ? answer : refused('wrongCode', answer)));
            toast(t('account.email.confirmed'));
            await showAddress();
        }, email, mailedCode('code'), password));
    }

    async function showDevices() {
        try {
            const answer = await call('GET', 'devices');
            fill(devices, answer.devices.map(other => h('li', {}, h('span.words', {}, h('span.text', { dir: 'auto' }, other.name),
                h('span.sub', {}, other.current ? t('account.thisDevice') : t('account.lastSeen', { time: time(other.lastSeenAt) }))),
            !other.current && iconButton('close', t('account.signOutDevice', { name: other.name }), async () => {
                await call('DELETE', `devices/${other.id}`).catch(error => toast(explain(error), { isError: true }));
                showDevices();
            }))));
        } catch (error) {
            fill(devices, h('li.note', {}, explain(error)));
        }
    }

    async function download() {
        try {
            const response = await fetch('/v1/export', { credentials: 'same-origin', cache: 'no-store' });
            if (!response.ok) throw Object.assign(new Error(), { code: 'serviceUnavailable' });
            saveAs('trolley-export.json', await response.blob());
        } catch (error) {
            toast(explain(error), { isError: true });
        }
    }
}

/** What the service refuses because the password is wrong. */
const withPassword = async ask => (await import('./proof.js')).refused('wrongPassword', ask());

function choice(label, values, chosen, onchange, hint) {
    const id = `choice-${label}`;
    return h('div.field', {}, h('label', { for: id }, label), h('select', {
        id, 'aria-describedby': hint && `${id}-hint`, onchange: event => onchange(event.target.value),
    }, Object.entries(values).map(([value, name]) => h('option', { value, selected: value === chosen }, name))), hint && h('p.hint', { id: `${id}-hint` }, hint));
}

/** The service has ended the session, or lost the account. The lists stay for the same person. */
function signInAgain(shell) {
    const { name, email } = shell.device.session.account;
    const way = h('div.form');
    const dialog = sheet(t('signIn'), way,
        h('button.quiet.wide.danger', { onclick: async () => { dialog.close(); await shell.signOut(); } }, t('signOut')));
    const link = (text, onclick) => h('p.switch', {}, h('button.link', { onclick }, text));
    const address = () => field(t('email'), 'email', { type: 'email', value: email, readonly: true, autocomplete: 'username' });
    signIn();

    function signIn() {
        const provider = h('div');
        const lost = h('div.form', { hidden: true }, h('p.hint', {}, t('session.lost')), link(t('signUp'), signUp));
        fill(way, h('p.hint', {}, t('session.again')), form(t('signIn'), async ({ password }) => {
            try {
                await shell.device.signIn({ email, password });
            } catch (error) {
                lost.hidden = error.code !== 'notAuthenticated';
                throw error;
            }
            dialog.close();
        }, address(), field(t('password'), 'password', { type: 'password', required: true, autocomplete: 'current-password' })),
        lost, link(t('reset'), reset), provider);
        import('./welcome.js').then(({ offerProvider }) => offerProvider(provider)).catch(() => {});
    }

    async function signUp() {
        const welcome = await import('./welcome.js');
        const asked = h('div.form', { hidden: true });
        fill(way, form(t('signUp'), async values => {
            await welcome.signUp(shell, { ...values, name }, null, asked);
            dialog.close();
        }, address(), field(t('password'), 'password', {
            type: 'password', required: true, minlength: 8, limit: 200, autocomplete: 'new-password',
        }, t('password.hint')), asked), link(t('signIn'), signIn));
    }

    async function reset() {
        const { resetForm } = await import('./proof.js');
        fill(way, ...resetForm(shell, email, true, () => dialog.close()), link(t('signIn'), signIn));
    }
}
