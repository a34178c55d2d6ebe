// What the link to a list shows: to a newcomer what they are invited to, to others what they join.

import { fill, h } from '../dom.js';
import { call } from '../device/transport.js';
import { t } from '../text.js';
import { paint } from './colours.js';
import { explain, toast } from './sheet.js';
import { brand } from './welcome.js';

/** Milliseconds that a newcomer's form waits for what they are invited to, so that it doesn't move under their finger. */
const LOOK_AT_MOST = 3000;

export const isWhole = secret => /^[A-Za-z0-9_-]{43}$/.test(secret);

export const showBroken = page => fill(page, brand(), broken(t('join.broken')));

const showLooking = page => fill(page, brand(), h('div.panel', { 'aria-busy': 'true' }, h('p.lead', {}, t('join.looking'))));

const broken = text => h('div.panel', {}, h('h2', {}, t('join.gone')), h('p', {}, text),
    h('a.primary.wide', { href: '/' }, t('join.toLists')));

/** What a newcomer is invited to. If the service doesn't answer soon, the link itself says that there is a list to join. */
export async function offer(page, secret) {
    showLooking(page);
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

/** Shows what one joins, and joins. */
export async function join(shell, page, secret) {
    showLooking(page);
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
