// Codes that prove something: that an address is this person's, or that they may set a new password.

import { call } from '../device/transport.js';
import { fill, h, icon } from '../dom.js';
import { t } from '../text.js';
import { explain, field, form, problemOf } from './sheet.js';

const CODE = { limit: 60, autocomplete: 'one-time-code', autocapitalize: 'characters', spellcheck: 'false' };

/** A field for a code. */
export const codeField = (name, hint, isRequired = true) => field(t('code'), name, { ...CODE, required: isRequired }, hint);

/** The field for the code that the service mails to the form's address, below the button that sends it. */
export function mailedCode(name, isRequired = true) {
    const said = h('p.hint', { role: 'status' });
    const code = codeField(name, null, isRequired);
    const button = h('button.quiet.wide', {
        onclick: async () => {
            const input = button.form.elements.email, email = input.value.trim();
            if (!input.checkValidity()) {
                input.tell(problemOf(input));
                return input.focus();
            }
            button.disabled = true;
            try {
                await call('POST', 'email-codes', { email });
                fill(said, t('code.sent', { email }));
                code.querySelector('input').focus();
            } catch (error) {
                fill(said, explain(error));
            }
            button.disabled = false;
        },
    }, icon('mail'), t('code.send'));
    return [button, said, code];
}

/** Sets a new password by the operator's code, and signs in with it. */
export function resetForm(shell, email, isFixed, ondone = () => {}) {
    return [h('p.hint', {}, t('reset.how')), form(t('reset.action'), async ({ email, code, newPassword }) => {
        await refused('wrongCode', call('POST', 'password', { email, code, newPassword }));
        await shell.device.signIn({ email, password: newPassword });
        ondone();
    }, field(t('email'), 'email', { type: 'email', required: true, value: email, readonly: isFixed, autocomplete: 'username', limit: 254 }),
    codeField('code'),
    field(t('account.password.new'), 'newPassword', {
        type: 'password', required: true, minlength: 8, limit: 200, autocomplete: 'new-password',
    }, t('password.hint')))];
}

/** A failure that the page has a sentence for. */
export const failure = code => Object.assign(new Error(code), { code });

/** What refuses this call is the code that was typed. */
export async function refused(code, answer) {
    try {
        return await answer;
    } catch (error) {
        throw error.code === 'permissionFailure' ? failure(code) : error;
    }
}
