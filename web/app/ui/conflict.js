// Says that somebody else has changed the same field of an item, and whose value the list shows.

import { t } from '../text.js';
import { nameOf, personOn } from './people.js';
import { toast, untold } from './sheet.js';

export function tellConflict(device, { list, by, item, key, theirs, mine, isMineShown }) {
    const text = device.states.get(list)?.items.find(other => other.id === item)?.text;
    if (text === undefined) return;
    const said = value => value || t('conflict.none');
    toast(t(isMineShown ? 'conflict.mine' : 'conflict.theirs', {
        name: nameOf(personOn(device.rows.get(list), by) ?? {}), text, theirs: said(theirs), mine: said(mine),
    }), {
        stays: true, name: `conflict ${item} ${key}`, action: t(isMineShown ? 'conflict.take' : 'conflict.keep'),
        onaction: () => device.perform(list, [{ operation: 'edit', item, fields: { [key]: isMineShown ? theirs : mine } }]).catch(untold),
    });
}
