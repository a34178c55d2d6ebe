// A cookie that stays when the browser clears the page's storage. It says only that somebody is signed in here.

const NAME = 'trolley-known=1';

export const isKnown = () => document.cookie.split('; ').includes(NAME);

export function setKnown(isSignedIn) {
    const isSecure = location.protocol === 'https:';
    document.cookie = `${NAME}; Path=/; SameSite=Strict; Max-Age=${isSignedIn ? 31_536_000 : 0}${isSecure ? '; Secure' : ''}`;
}
