// Folds the items that are done away, on this device.

import { h, icon } from '../dom.js';

/** @param {{get: () => boolean, set: (isFolded: boolean) => void}} folds  whether they are folded */
export function foldButton({ get, set }) {
    const button = h('button.fold', {
        'aria-expanded': !get(), onclick: () => {
            set(!get());
            button.setAttribute('aria-expanded', !get());
        },
    }, h('span', {}), icon('down'));
    return button;
}
