// The first page: beginning a list, signing up and in. joining.js has what a link to a list shows.

import { fill, h, icon } from '../dom.js';
import { call } from '../device/transport.js';
import { t } from '../text.js';
import { explain, field, form, toast } from './sheet.js';

/**
 * @param {string | null} secret  of the invitation that the address carries
 * @param {{isKnown?: boolean}} [options]  `isKnown`: somebody has just signed out, who has an account
 */
export async function welcome(shell, root, secret, { isKnown = false } = {}) {
    const page = h('main.welcome', { id: 'main' }), { isCleared, isAlone, left, session } = shell.device;
    fill(root, page);
    let invitation = null;
    if (secret !== null) {
        const joining = await import('./joining.js');
        if (!joining.isWhole(secret)) return joining.showBroken(page);
        if (session && !isAlone) return joining.join(shell, page, secret);
        if (!isCleared) invitation = await joining.offer(page, secret);
    }
    const intro = isCleared ? h('p.lead', { role: 'status' }, t('session.cleared'))
        : left && !secret ? h('div', { role: 'status' }, h('p.lead', {}, t('session.left')), left.waiting > 0 && h('p', {}, t('session.waits', { n: left.waiting })))
        : invitation ?? (isKnown && h('p.lead', {}, t('welcome.lead')));
    if (!page.isConnected) return;
    isKnown ||= isCleared || (!!left && !secret);
    fill(page, brand(), !intro && !isKnown && begin(shell), h('div.panel', {}, intro, ...account(shell, { secret, isNew: !isKnown, root, address: left?.account.email })));
    // The form stays if the cookie has gone, too.
    if (isCleared) shell.device.resume().then(() => toast(t('session.cleared')), () => {});
}

export const brand = () => h('header.brand', {}, h('span.logo', {}, icon('cart')), h('h1', {}, 'Trolley'));

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
