// How often a thing is bought again, as `Recurrence` in Sources/TrolleyJournal reads it: 'P7D', 'P2W'.

import { t } from '../text.js';

/** What a person chooses from. */
export const CHOICES = ['P2D', 'P3D', 'P7D', 'P14D', 'P21D', 'P28D', 'P56D', 'P91D'];
const MOST_DAYS = 3650;

/** 'Every 2 weeks'; what no device understands, as it is. */
export function inWords(every) {
    const [, number, unit] = every.match(/^P(\d{1,4})([DW])$/i) ?? [], days = number * (/w/i.test(unit) ? 7 : 1);
    if (!(days >= 1 && days <= MOST_DAYS)) return every;
    return days % 7 ? t('every.days', { n: days }) : t('every.weeks', { n: days / 7 });
}
