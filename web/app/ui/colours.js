// The colours of lists. A list's colour is any text; these are the names that the page offers.

export const COLOURS = ['green', 'teal', 'blue', 'indigo', 'purple', 'pink', 'red', 'orange', 'yellow', 'brown', 'grey'];

/** Colours everything inside the element by a list's colour. */
export function paint(element, colour) {
    const name = (colour ?? '').trim().toLowerCase();
    element.dataset.colour = COLOURS.includes(name) ? name : name === 'gray' ? 'grey' : 'green';
    const isCode = /^#[0-9a-f]{3}([0-9a-f]{3})?$/.test(name);
    if (isCode) element.style.setProperty('--dot', name);
    else element.style.removeProperty('--dot');
    return element;
}

/** The colour that a person has chosen, or one that is the same everywhere. */
export function paintPerson(element, { account, colour }) {
    let sum = 0;
    for (const character of account ?? '') sum = (sum * 31 + character.codePointAt(0)) % 9973;
    element.dataset.colour = COLOURS.includes(colour) ? colour : COLOURS[sum % (COLOURS.length - 1)];
    return element;
}
