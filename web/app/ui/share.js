// The people on a list, and invitations.

import { inOrder } from '../device/in-order.js';
import { linkOf, makeInvitation } from '../device/invitations.js';
import { forget, sendInvitations, waitingFor } from '../device/inviting.js';
import { call, isWithoutService } from '../device/transport.js';
import { fill, h, icon, iconButton } from '../dom.js';
import { addTexts, language, t, time } from '../text.js';
import { copy } from './copy.js';
import { face, nameOf } from './people.js';
import { drawCode } from './qr.js';
import { ask, explain, field, form, moreMenu, sheet, toast } from './sheet.js';

/** For how many people a link can be made here. */
const COUNTS = [1, 2, 3, 4, 5, 6, 8, 10, 20];

export async function show(shell, id) {
    addTexts((await import(`../text/own.${language}.js`)).default);
    const { device } = shell, result = h('div.link', { hidden: true });
    const people = h('ul.people'), invitations = h('ul.people'), invite = h('div.invite');
    const dialog = sheet(t('share.title'), people, invite, invitations);
    const me = device.session.account.id;
    let known, mayInvite;
    if (!navigator.onLine) {
        showKnown();
        await showUnpublished();
        return dialog.body.prepend(h('p.note', {}, icon('off'), t('share.offline')));
    }
    const asking = inOrder(), stop = new AbortController();
    dialog.addEventListener('close', () => stop.abort());
    // Somebody has joined or left, or the list has only just reached the service.
    device.addEventListener('list', event => event.detail.list === id && known !== knownShare() && refresh(), { signal: stop.signal });
    await refresh();

    /** What the device knows of the share. */
    function knownShare() {
        const { published, share } = device.rows.get(id) ?? {};
        return JSON.stringify([published, share]);
    }

    async function refresh() {
        const isNews = asking();
        known = knownShare();
        try {
            // The service must have the list before it can be shared. Another tab may have to tell it.
            if (!device.rows.get(id)?.published) await device.sync('manual');
            if (!device.rows.get(id)?.published) {
                if (!isNews()) return;
                showTrouble(t('share.waiting'));
                return await showUnpublished();
            }
            await sendInvitations(device);
            const answer = await call('GET', `lists/${id}/share`);
            const isOwner = answer.share.participants.find(person => person.account === me)?.role === 'owner';
            const open = isOwner ? (await call('GET', `lists/${id}/invitations`)).invitations : [];
            if (!isNews()) return;
            showPeople(answer, isOwner);
            // A link that was made stays in sight.
            if (mayInvite !== isOwner) fill(invite, isOwner ? inviting() : h('p.hint', {}, t('share.owner')));
            mayInvite = isOwner;
            showInvitations(open, isOwner);
        } catch (error) {
            if (!isNews()) return;
            showTrouble(error.code === 'notAuthenticated' ? t('session.ended') : explain(error));
            if (isWithoutService(error)) showKnown();
        }
    }

    function showTrouble(text) {
        fill(people, h('li', {}, h('div.note', { role: 'alert' }, icon('alert'), h('span', {}, text),
            h('button.quiet', { onclick: refresh }, t('status.again')))));
    }

    /** The people as this device knows them, below what is there. */
    function showKnown() {
        const { share } = device.rows.get(id) ?? {}, above = [...people.children];
        if (!share) return;
        showPeople({ share }, false);
        people.prepend(...above);
    }

    function showPeople({ share, presence = [], reads = [] }, isOwner) {
        const here = new Set(presence.map(({ account }) => account));
        const read = new Map(reads.map(({ account, through }) => [account, through]));
        const through = device.rows.get(id)?.through ?? 0;
        fill(people, share.participants.filter(person => person.status === 'accepted').map(person => {
            const isMe = person.account === me;
            const state = person.role === 'owner' ? t('share.isOwner')
                : t(person.permission === 'readOnly' ? 'share.mayLook' : 'share.mayChange');
            const seen = !isMe && (read.get(person.account) ?? -1) >= through;
            return h('li', {}, face(person, { isHere: here.has(person.account), hasSeen: seen }),
                h('span.words', {}, h('span.text', { dir: 'auto' }, nameOf(person), isMe && ` (${t('people.you')})`),
                    h('span.sub', {}, [state, here.has(person.account) && t('people.here'), seen && t('people.seen')].filter(Boolean).join(' · '))),
                isOwner && !isMe && personMenu(person));
        }));
    }

    function personMenu(person) {
        const name = nameOf(person);
        const readOnly = person.permission === 'readOnly';
        return moreMenu(t('share.person', { name }),
            item(readOnly ? t('share.allow') : t('share.restrict'), () =>
                call('PATCH', `lists/${id}/participants/${person.account}`, { permission: readOnly ? 'readWrite' : 'readOnly' })),
            item(t('share.handOver'), async () => {
                if (!await ask(t('share.handOver'), t('share.handOver.text', { name }), t('share.handOver'))) return;
                await call('PUT', `lists/${id}/owner`, { account: person.account });
            }),
            item(t('share.remove'), async () => {
                if (!await ask(t('share.remove'), t('share.remove.text', { name }), t('share.remove'), { isDangerous: true })) return;
                await call('DELETE', `lists/${id}/participants/${person.account}`);
            }, '.danger'));
    }

    function item(label, work, extra = '') {
        return h(`button.menu-item${extra}`, { onclick: () => attempt(work) }, label);
    }

    async function attempt(work) {
        try {
            await work();
            await refresh();
            device.sync('push');
        } catch (error) {
            toast(explain(error), { isError: true });
        }
    }

    function inviting() {
        const permission = h('select', { 'aria-label': t('share.permission') },
            h('option', { value: 'readWrite' }, t('share.mayChange')), h('option', { value: 'readOnly' }, t('share.mayLook')));
        const people = h('select', { 'aria-label': t('share.count') }, COUNTS.map(n => h('option', { value: n }, t('share.for', { n }))));
        const make = async email => {
            const uses = email ? 1 : +people.value, made = await makeInvitation(id, { permission: permission.value, email, uses });
            if (uses > 1) await device.store.keep('links', links => ({ ...links, [made.id]: made.link }));
            showLink(made.link, email, uses);
            showInvitations((await call('GET', `lists/${id}/invitations`)).invitations, true);
        };
        return [
            h('h3', {}, t('share.invite')),
            h('div.field', {}, permission),
            h('div.field', {}, people),
            h('button.primary.wide', { onclick: async event => {
                const button = event.currentTarget;
                button.disabled = true;
                await make().catch(error => toast(explain(error), { isError: true }));
                button.disabled = false;
            } }, icon('share'), t('share.link')),
            result,
            h('details.by-mail', {}, h('summary', {}, icon('mail'), t('share.byMail')),
                form(t('share.byMail.make'), async ({ email }) => make(email.trim()),
                    field(t('email'), 'email', { type: 'email', required: true, autocomplete: 'off', limit: 254 }, t('share.byMail.hint')))),
        ];
    }

    function showLink(link, email, uses = 1) {
        result.hidden = false;
        const name = device.states.get(id)?.name ?? '';
        const input = h('input', { value: link, readonly: true, 'aria-label': t('share.theLink'), onfocus: event => event.target.select() });
        fill(result,
            codeOf(link),
            h('p.hint', {}, email ? t('share.forOne', { email }) : uses > 1 ? t('share.many', { n: uses }) : t('share.once')),
            h('div.linkline', {}, input, iconButton('copy', t('share.copy'), () => {
                input.select();
                copy(link);
            })),
            navigator.share && h('button.primary.wide', {
                onclick: () => navigator.share({ title: 'Trolley', text: t('share.message', { name }), url: link }).catch(() => {}),
            }, icon('share'), t('share.send')));
        result.scrollIntoView({ block: 'nearest' });
    }

    /** What there is to share before the service has the list. */
    function showUnpublished() {
        mayInvite = undefined;
        fill(invite, result);
        return showInvitations([], false);
    }

    /** An invitation that was made with the list, and that the service doesn't have. */
    function showUnsent({ email, secret, refusal }) {
        return h('li', {}, h('span.face.open', { 'aria-hidden': 'true' }, icon('mail')),
            h('span.words', {}, h('span.text', {}, email),
                h('span.sub', {}, refusal ? t('share.refused', { reason: explain({ code: refusal.code, problem: refusal }) }) : t('share.unsent'))),
            !refusal && iconButton('share', t('share.show'), () => showLink(linkOf(secret), email)),
            iconButton('close', t('status.dismiss'), async () => {
                await forget(device.store, secret);
                await (navigator.onLine ? refresh() : showUnpublished());
            }));
    }

    async function showInvitations(open, isOwner) {
        const links = await device.store.kept('links') ?? {}, unsent = await waitingFor(device, id);
        const waiting = open.filter(invitation => !invitation.accepted);
        fill(invitations, waiting.length + unsent.length > 0 && h('li.head', {}, h('h3', {}, t('share.open'))), unsent.map(showUnsent), waiting.map(invitation =>
            h('li', {}, h('span.face.open', { 'aria-hidden': 'true' }, icon(invitation.email ? 'mail' : 'share')),
                h('span.words', {}, h('span.text', {}, invitation.email ?? t(invitation.uses ? 'share.aLinkFor' : 'share.aLink', { n: invitation.uses })),
                    h('span.sub', {}, [invitation.uses && t('share.used', { n: invitation.used }), t(invitation.permission === 'readOnly' ? 'share.mayLook' : 'share.mayChange'),
                        invitation.expiresAt && t('share.until', { time: time(invitation.expiresAt) })].filter(Boolean).join(' · '))),
                links[invitation.id] && iconButton('share', t('share.show'), () => showLink(links[invitation.id], invitation.email, invitation.uses)),
                iconButton('close', t('share.withdraw'), () => attempt(async () => {
                    await call('DELETE', `lists/${id}/invitations/${invitation.id}`);
                    if (links[invitation.id]) await device.store.keep('links', ({ [invitation.id]: _, ...others }) => others);
                })))),
        isOwner && device.rows.get(id)?.share?.participants.some(person => person.status === 'accepted' && person.account !== me)
            && h('li.foot', {}, h('button.quiet.danger.wide', { onclick: () => attempt(async () => {
                if (!await ask(t('share.stop'), t('share.stop.text'), t('share.stop'), { isDangerous: true })) return;
                await call('DELETE', `lists/${id}/share`);
            }) }, t('share.stop'))));
    }
}

/** The link as a code. Without one if it is too long for it: the address of the service may be long. */
function codeOf(link) {
    try {
        return h('div.code', { role: 'img', 'aria-label': t('share.code') }, drawCode(link));
    } catch {
        return null;
    }
}
