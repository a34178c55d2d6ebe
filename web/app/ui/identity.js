// Signing in at the operator's identity provider: the way there, and what happens on coming back.

import { deviceName } from '../device/name.js';
import { h } from '../dom.js';
import { addTexts, has, language, t } from '../text.js';
import { explain, toast } from './sheet.js';

/** Where this tab was: perhaps at an invitation. */
const PLACE = 'trolley-before-sign-in';

const loadTexts = async () => addTexts((await import(`../text/identity.${language}.js`)).default);

/** The way to the provider. */
export async function way(name) {
    await loadTexts();
    return h('a.quiet.wide', {
        href: `/v1/identity/sign-in?deviceName=${encodeURIComponent(deviceName())}`,
        onclick: () => sessionStorage.setItem(PLACE, location.pathname + location.hash),
    }, t('identity.signIn', { name }));
}

/** The provider has led the browser back: `#/signed-in`, with the code of what has gone wrong. */
export async function comeBack(device) {
    const code = location.hash.split('/')[2];
    const place = sessionStorage.getItem(PLACE) ?? '/';
    sessionStorage.removeItem(PLACE);
    history.replaceState(null, '', place);
    try {
        if (!code) return await device.resume({ isAnew: true });
        await loadTexts();
        toast(has(`identity.${code}`) ? t(`identity.${code}`) : explain({ code }), { isError: true, stays: true });
    } catch (error) {
        toast(explain(error), { isError: true, stays: true });
    }
}
