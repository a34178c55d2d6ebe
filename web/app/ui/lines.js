// Lines that a person chooses from: what is imported, or what a new list takes from another one.

import { h } from '../dom.js';
import { t } from '../text.js';

/** Lines that can be chosen one by one. What follows them comes with the rest. */
const SHOWN = 300;

/**
 * @param {HTMLElement} legend
 * @param {{text: string, about: any[], isDone?: boolean}[]} lines  `about`: what stands below the text, as far as it is text
 * @param {{isChosen: (index: number) => boolean, choose: (index: number, isChosen: boolean) => void, above?: HTMLElement}} choice
 */
export function lines(legend, lines, { isChosen, choose, above }) {
    const more = lines.length - SHOWN;
    return h('fieldset.lines', {}, legend, above, lines.slice(0, SHOWN).map(({ text, about, isDone }, index) => {
        const below = about.filter(part => typeof part === 'string' && part).join(' · ');
        return h('label.told', {}, h('input', { type: 'checkbox', checked: isChosen(index), onchange: event => choose(index, event.target.checked) }),
            h('span.words', {}, h('span.text', { dir: 'auto', class: isDone ? 'text done' : 'text' }, text), below && h('span.sub', { dir: 'auto' }, below)));
    }), more > 0 && h('p.hint', {}, t('replay.more', { n: more })));
}
