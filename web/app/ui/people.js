// Faces: the initial of a name in a person's colour.

import { h } from '../dom.js';
import { moment, t } from '../text.js';
import { paintPerson } from './colours.js';

export function face(person, { isHere = false, hasSeen = false } = {}) {
    const name = nameOf(person);
    const status = [name, isHere && t('people.here'), hasSeen && t('people.seen')].filter(Boolean).join(', ');
    const initial = [...name.trim()][0]?.toLocaleUpperCase() ?? '?';
    return paintPerson(h('span.face', { role: 'img', 'aria-label': status, title: status, 'data-here': isHere, 'data-seen': hasSeen },
        initial), person);
}

export const nameOf = person => person.name ?? person.email ?? t('people.somebody');

/** Whose devices a replay waits for, in words; '' if the service doesn't say. @param missing  of its answer @param person  by account */
export const waitedFor = (missing, person) => missing.filter(({ account }) => account).map(({ account, deviceName, lastSeenAt }) =>
    t('replay.device', { name: nameOf(person(account)), device: deviceName, time: moment(lastSeenAt) })).join('; ');

export const personOn = (row, account) => row?.share?.participants.find(person => person.account === account);

/** The people on a list but this one. */
export const others = (row, account) =>
    (row?.share?.participants ?? []).filter(person => person.status === 'accepted' && person.account !== account);
