// Half-typed texts. They outlive another list and a reload, and go with the tab and with the session.

const KEY = 'typed';
let texts = new Map();
try {
    texts = new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]'));
} catch { /* The browser keeps nothing, so they outlive another list only. */ }

/** @param {string} place  where the text was typed: a list's id, alone or with the field */
export const typed = place => texts.get(place) ?? '';

export function keepTyped(place, text) {
    if (text) texts.set(place, text);
    else texts.delete(place);
    store();
}

/** Another person must not see them. */
export function forgetTyped() {
    texts.clear();
    store();
}

function store() {
    try {
        if (texts.size) sessionStorage.setItem(KEY, JSON.stringify([...texts]));
        else sessionStorage.removeItem(KEY);
    } catch { /* As above. */ }
}
