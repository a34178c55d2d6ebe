// Signing up and in, alone or with the link to a list.

import { fill, h, icon } from '../dom.js';
import { call } from '../device/transport.js';
import { t } from '../text.js';
import { paint } from './colours.js';
import { explain, field, form, toast } from './sheet.js';

/** Milliseconds that a newcomer's form waits for what they are invited to, so that it doesn't move under their finger. */
const LOOK_AT_MOST = 3000;

/**
 * @param {string | null} secret  of the invitation that the address carries
 * @param {{isKnown?: boolean}} [options]  `isKnown`: somebody has just signed out, who has an account
 */
export async function welcome(shell, root, secret, { isKnown = false } = {}) {
    const page = h('main.welcome', { id: 'main' });
    fill(root, page);
    if (secret !== null && !/^[A-Za-z0-9_-]{43}$/.test(secret)) return fill(page, brand(), broken(t('join.broken')));
    if (secret && shell.device.session && !shell.device.isAlone) return join(shell, page, secret);
    const { isCleared, left } = shell.device;
    if (secret && !isCleared) fill(page, brand(), h('div.panel', { 'aria-busy': 'true' }, h('p.lead', {}, t('join.looking'))));
    const intro = isCleared ? h('p.lead', { role: 'status' }, t('session.cleared'))
        : left && !secret ? h('div', { role: 'status' }, h('p.lead', {}, t('session.left')), left.waiting > 0 && h('p', {}, t('session.waits', { n: left.waiting })))
        : secret && await offer(secret);
    if (!page.isConnected) return;
    isKnown ||= isCleared || (!!left && !secret);
    fill(page, brand(), !intro && !isKnown && begin(shell), h('div.panel', {}, intro, ...account(shell, { secret, isNew: !isKnown, root, address: left?.account.email })));
    // The form stays if the cookie has gone, too.
    if (isCleared) shell.device.resume().then(() => toast(t('session.cleared')), () => {});
}

const brand = () => h('header.brand', {}, h('span.logo', {}, icon('cart')), h('h1', {}, 'Trolley'));

const broken = text => h('div.panel', {}, h('h2', {}, t('join.gone')), h('p', {}, text),
    h('a.primary.wide', { href: '/' }, t('join.toLists')));

/** What a newcomer is invited to. If the service doesn't answer soon, the link itself says that there is a list to join. */
async function offer(secret) {
    const soon = new Promise((_, reject) => setTimeout(reject, LOOK_AT_MOST, {}));
    try {
        const preview = await Promise.race([call('POST', 'invitations/look', { secret }), soon]);
        const intro = h('div.invitation', {}, ...offered(preview), h('p.lead', {}, t('join.signUp')));
        paint(intro, preview.colour);
        return intro;
    } catch (error) {
        return h('p.lead', {}, t(error.code === 'unknownItem' ? 'join.hidden' : 'join.first'));
    }
}

const offered = preview => [h('span.swatch.big', {}), h('h2', { dir: 'auto' }, preview.name || t('list.unnamed')),
    h('p', {}, t(preview.permission === 'readOnly' ? 'join.mayLook' : 'join.mayChange', { name: preview.owner }))];

/** The thing itself, before the page asks who somebody is. */
const begin = shell => h('div.panel', {}, h('p.lead', {}, t('welcome.lead')),
    form(t('welcome.begin'), async ({ need }) => (await import('./alone.js')).begin(shell, need),
        field(t('welcome.need'), 'need', { autocomplete: 'off', placeholder: t('welcome.need.example') }, t('welcome.begin.hint'))));

/** The form, and the ways to the other ones. */
export function account(shell, { secret, isNew, root, address = '' }) {
    const email = field(t('email'), 'email', {
        type: 'email', required: true, autocomplete: 'username', limit: 254, inputmode: 'email', value: address,
    });
    const password = field(t('password'), 'password', {
        type: 'password', required: true, minlength: isNew ? 8 : 1, limit: 200, autocomplete: isNew ? 'new-password' : 'current-password',
    }, isNew && t('password.hint'));
    const name = isNew && field(t('name'), 'name', { required: true, limit: 100, autocomplete: 'given-name' }, t('name.hint'));
    // What the service has refused to go on without.
    const asked = h('div.form', { hidden: true });
    const typed = () => email.querySelector('input').value;
    const switchTo = next => fill(element, ...account(shell, { secret, isNew: next, root, address: typed() }));
    const provider = h('div');
    offerProvider(provider);
    const element = h('div', {}, form(isNew ? t('signUp') : t('signIn'),
        values => isNew ? signUp(shell, values, secret, asked) : shell.device.signIn(values),
        name, email, password, asked), provider,
    h('p.switch', {}, isNew ? t('signUp.known') : t('signIn.new'), ' ',
        h('button.link', { onclick: () => switchTo(!isNew) }, isNew ? t('signIn') : t('signUp'))),
    !isNew && h('p.switch', {}, h('button.link', {
        onclick: async () => {
            const { resetForm } = await import('./proof.js');
            fill(element, ...resetForm(shell, typed()), h('p.switch', {}, h('button.link', { onclick: () => switchTo(false) }, t('signIn'))));
            element.querySelector('input').focus();
        },
    }, t('reset'))));
    return [element];
}

/** Offers to sign in at the operator's identity provider, if there is one. */
export async function offerProvider(place) {
    const { identityProvider } = await call('GET', 'config').catch(() => ({}));
    if (identityProvider) fill(place, await (await import('./identity.js')).way(identityProvider));
}

/** Signs up, or in when the account is there and the words are its. Else asks for what the service needs. */
export async function signUp(shell, { invitation, emailCode, ...values }, secret, asked) {
    const { device } = shell;
    const config = () => call('GET', 'config');
    const proof = {
        // Only where it is needed: a link that was used must not stand in the way of an account.
        invitation: invitation?.trim() || (secret && (await config()).registration === 'invitation' ? secret : undefined),
        emailCode: emailCode?.trim() || undefined,
    };
    try {
        return await device.signUp({ ...values, ...proof });
    } catch (error) {
        if (error.code === 'permissionFailure' && (proof.emailCode || invitation)) throw await failed('wrongCode');
        if (error.code === 'permissionFailure' && (await config()).registration === 'invitation') {
            await ask(false);
            throw await failed('needsInvitation');
        }
        if (error.code !== 'serverRecordChanged') throw error;
    }
    try {
        await device.signIn(values);
    } catch (error) {
        if (error.code !== 'notAuthenticated') throw error;
        // Somebody may have signed up with an address that isn't theirs. A code takes it back.
        await ask((await config()).mail === true);
        throw await failed('addressTaken');
    }

    async function failed(code) { return (await import('./proof.js')).failure(code); }
    async function ask(isMailed) {
        const { codeField, mailedCode } = await import('./proof.js');
        fill(asked, isMailed ? mailedCode('emailCode', false) : codeField('invitation', t('code.operator'), false)).hidden = false;
    }
}

/** Shows what one joins, and joins. */
async function join(shell, page, secret) {
    fill(page, brand(), h('div.panel', { 'aria-busy': 'true' }, h('p.lead', {}, t('join.looking'))));
    let preview;
    try {
        preview = await call('POST', 'invitations/look', { secret });
    } catch (error) {
        return fill(page, brand(), error.code === 'unknownItem' ? broken(t('join.used')) : retry(explain(error)));
    }
    const panel = h('div.panel.invitation', {}, ...offered(preview),
        h('button.primary.wide', { onclick: event => act(event, accept) }, t(preview.accepted ? 'join.open' : 'join.join')),
        !preview.accepted && h('button.quiet.wide', { onclick: event => act(event, decline) }, t('join.decline')));
    paint(panel, preview.colour);
    fill(page, brand(), panel);

    async function accept() {
        const { accept: acceptInvitation } = await import('../device/invitations.js');
        const list = await acceptInvitation(shell.device, secret);
        history.replaceState(null, '', `/#/list/${list}`);
        shell.device.dispatchEvent(new CustomEvent('session'));
    }
    async function decline() {
        await call('POST', 'invitations/decline', { secret });
        history.replaceState(null, '', '/');
        shell.device.dispatchEvent(new CustomEvent('session'));
    }
    async function act(event, work) {
        const button = event.currentTarget;
        button.disabled = true;
        try {
            await work();
        } catch (error) {
            button.disabled = false;
            toast(explain(error), { isError: true });
        }
    }
    function retry(text) {
        return h('div.panel', {}, h('p', { role: 'alert' }, text),
            h('button.primary.wide', { onclick: () => join(shell, page, secret) }, t('failure.again')));
    }
}
