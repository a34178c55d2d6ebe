// Past shopping trips of a list: who picked what, when, and the list at each pick.

import { fill, h, icon, iconButton } from '../dom.js';
import { addTexts, clock, day, language, length, moment, names, t } from '../text.js';
import { face, nameOf, personOn, waitedFor } from './people.js';
import { explain, sheet, toast } from './sheet.js';

const PREVIEW = 60;

export async function show(shell, screen) {
    addTexts((await import(`../text/details.${language}.js`)).default);
    const { device } = shell, { id } = screen;
    const place = h('div.trips');
    const dialog = sheet(t('trips.title'), place);
    let trips, book;
    try {
        book = await device.trips();
        trips = await book.of(id);
    } catch (error) {
        return fill(place, h('p.note', { role: 'alert' }, explain(error)));
    }
    overview();

    function overview(focused) {
        if (!trips.length) return fill(place, h('p.hint', {}, t('trips.none')));
        fill(place, h('ol.menu', {}, trips.map((trip, index) => h('li', {}, h('button.menu-item.trip', { onclick: () => one(index) },
            icon('cart'), h('span.words', {}, h('span.text', {}, moment(trip.start)), h('span.sub', { dir: 'auto' }, summary(trip))),
            h('span.who', {}, trip.people.map(account => face(person(account)))))))));
        if (focused !== undefined) place.querySelectorAll('.trip')[focused].focus();
    }

    async function one(index) {
        const trip = trips[index], { picks } = trip;
        const standing = h('p.hint', { role: 'status' }), scrub = h('div.back-in-time');
        const back = iconButton('back', t('trips.back'), () => overview(index));
        fill(place,
            h('div.bar', {}, back, h('h3', {}, day(trip.start))),
            h('p', { dir: 'auto' }, summary(trip)), standing,
            h('ol.activity.picks', { 'aria-label': t('trips.picks') }, picks.map(pick => h('li', {}, face(person(pick.by)),
                h('span.words', {}, h('span.text', { dir: 'auto' }, pick.text),
                    h('span.sub', { dir: 'auto' }, [clock(pick.at), nameOf(person(pick.by)), pick.quantity, pick.aisle].filter(Boolean).join(' · ')))))),
            trip.added.length > 0 && h('h3', {}, t('trips.added')),
            trip.added.length > 0 && h('ul.activity', {}, trip.added.map(item => h('li', {}, face(person(item.by)),
                h('span.words', {}, h('span.text', { dir: 'auto' }, item.text),
                    h('span.sub', { dir: 'auto' }, [clock(item.at), nameOf(person(item.by))].join(' · ')))))),
            h('details.time', { ontoggle: event => event.target.open && !scrub.childElementCount && slide(trip, scrub) },
                h('summary', {}, icon('clock'), t('trips.scrub')), scrub),
            screen.canEdit && h('button.primary.wide', { onclick: event => repeat(trip, event.currentTarget) }, t('trips.repeat')));
        back.focus();
        if (!navigator.onLine) return fill(standing, t('trips.unknown'));
        try {
            const missing = await book.missing(id, trip);
            const devices = waitedFor(missing, person);
            fill(standing, !missing.length ? t('trips.complete')
                : devices ? t('trips.waiting', { devices }) : t('trips.waiting.somebody'));
        } catch (error) {
            fill(standing, t(error.code === 'notAuthenticated' ? 'trips.signedOut' : 'trips.unknown'));
        }
    }

    /** A slider over the picks, and the list as it was after each. */
    async function slide(trip, scrub) {
        const { picks } = trip;
        const slider = h('input', { type: 'range', min: 1, max: picks.length, value: 1, 'aria-label': t('trips.slider') });
        const label = h('p.moment', { dir: 'auto' }), preview = h('ul.preview', { tabindex: 0, 'aria-label': t('trips.scrub') });
        fill(scrub, slider, label, preview);
        try {
            const { isComplete, state } = await book.scrub(id, trip);
            if (!isComplete) scrub.prepend(h('p.hint', {}, t('trips.compressed')));
            const look = () => {
                const number = Number(slider.value), pick = picks[number - 1], { items } = state(number - 1);
                const said = t('trips.at', { n: number, of: picks.length, text: pick.text, name: nameOf(person(pick.by)), time: clock(pick.at) });
                fill(label, said);
                slider.setAttribute('aria-valuetext', said);
                const shown = [...items.filter(item => !item.markedOff), ...items.filter(item => item.markedOff)];
                fill(preview, shown.slice(0, PREVIEW).map(item => h(item.markedOff ? 'li.done' : 'li', { dir: 'auto' }, item.text)),
                    shown.length > PREVIEW && h('li', {}, t('replay.more', { n: shown.length - PREVIEW })));
            };
            let frame = 0;
            slider.addEventListener('input', () => {
                cancelAnimationFrame(frame);
                frame = requestAnimationFrame(look);
            });
            look();
        } catch (error) {
            fill(label, explain(error));
        }
    }

    async function repeat(trip, button) {
        button.disabled = true;
        try {
            const added = await book.repeat(id, trip);
            const n = added.filter(({ outcome }) => outcome !== 'present').length;
            dialog.close();
            if (n) screen.changes.offerUndo(t('trips.repeated', { n }));
            else toast(t('trips.repeated.none'));
        } catch (error) {
            button.disabled = false;
            toast(explain(error), { isError: true });
        }
    }

    function person(account) {
        const known = personOn(device.rows.get(id), account);
        if (known) return known;
        const me = device.session.account;
        // On a list that nobody else has, only this person is known.
        return account === me.id ? { account, name: me.name } : { account: account ?? '' };
    }

    function summary(trip) {
        const parts = [...trip.shop ? [trip.shop] : [], t('trips.items', { n: trip.picks.length }), length(trip.duration)];
        if (trip.people.length) parts.push(names(trip.people.map(account => nameOf(person(account)))));
        if (!trip.isOver) parts.push(t('trips.goingOn'));
        return parts.join(' · ');
    }
}
