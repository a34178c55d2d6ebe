// Faces: the initial of a name in a person's colour.

import { h } from '../dom.js';
import { t } from '../text.js';
import { paintPerson } from './colours.js';

export function face(person, { isHere = false, hasSeen = false } = {}) {
    const name = nameOf(person);
    const status = [name, isHere && t('people.here'), hasSeen && t('people.seen')].filter(Boolean).join(', ');
    const initial = [...name.trim()][0]?.toLocaleUpperCase() ?? '?';
    return paintPerson(h('span.face', { role: 'img', 'aria-label': status, title: status, 'data-here': isHere, 'data-seen': hasSeen },
        initial), person.account);
}

export const nameOf = person => person.name ?? person.email ?? t('people.somebody');

/** The people on a list but this one. */
export const others = (row, account) =>
    (row?.share?.participants ?? []).filter(person => person.status === 'accepted' && person.account !== account);
