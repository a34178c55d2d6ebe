// Addresses that few people open: what the installed app's icon offers, what another app shares, and where nothing is.

import { inOrder, isArchived } from '../device/places.js';
import { t } from '../text.js';
import { open } from './shell.js';
import { toast } from './sheet.js';

/** At an address where nothing is, the page says so and goes on with the lists. */
export function leaveNothing() {
    const { pathname, hash } = location;
    let path = pathname;
    try { path = decodeURIComponent(pathname); } catch { /* It stays as it is written. */ }
    history.replaceState(null, '', `/${hash}`);
    toast(t('nothing.here', { path: path.slice(0, 80) }), { stays: true, name: 'nothing' });
}

/** @param {'new' | 'shop' | 'shared'} place  @param {() => void} route  shows what the address says */
export async function goTo(shell, place, route) {
    const { device } = shell;
    history.replaceState(null, '', '/');
    if (place !== 'shop') {
        route();
        return open(place === 'new' ? 'newlist' : 'shared', shell);
    }
    // The one with the most to get is the one that is shopped for.
    const wanted = ({ id }) => device.states.get(id)?.items.filter(item => !item.markedOff).length ?? 0;
    const [list] = inOrder(device.rows.values()).filter(row => !isArchived(row)).sort((a, b) => wanted(b) - wanted(a));
    if (!list) return route();
    if (!list.shopping) await device.setShopping(list.id, true);
    location.replace(`#/list/${list.id}`);
}
