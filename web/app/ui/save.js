// Files that the page gives to the person.

import { h } from '../dom.js';

export function saveAs(name, blob) {
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
