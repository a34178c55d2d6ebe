// Says when the people of a list change: somebody has left it, or it has another owner.

import { names, t } from '../text.js';
import { nameOf, personOn } from './people.js';
import { toast } from './sheet.js';

/** @param {object} before  the share before @param {object} row  the list's record */
export function tellShareNews(device, before, row) {
    const me = device.session?.account.id, list = device.states.get(row.id)?.name || t('list.unnamed');
    const isOn = person => person?.status === 'accepted';
    const left = before.participants.filter(person => isOn(person) && person.account !== me && !isOn(personOn(row, person.account)));
    const isOwner = share => personOn({ share }, me)?.role === 'owner';
    const texts = [
        left.length > 0 && t('share.left', { n: left.length, names: names(left.map(nameOf)), list }),
        isOwner(row.share) && !isOwner(before) && t('share.yours', { list }),
    ].filter(Boolean);
    if (texts.length) toast(texts.join(' '), { stays: true, name: `people ${row.id}` });
}
