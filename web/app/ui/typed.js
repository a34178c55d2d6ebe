// Half-typed texts. They outlive another list and a reload, and go with the tab and with the session.

const KEY = 'typed';
let account = null, texts = new Map();
try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    account = stored.account ?? null;
    texts = new Map(stored.texts);
} catch { /* The browser keeps nothing, so they outlive another list only. */ }

/** Forgets the texts of another person. @param {string | null} now  the account */
export function typesAs(now) {
    if (now === account) return;
    account = now;
    texts.clear();
    store();
}

/** @param {string} place  where the text was typed: a list's id, alone or with the field */
export const typed = place => texts.get(place) ?? '';

export function keepTyped(place, text) {
    if (text) texts.set(place, text);
    else texts.delete(place);
    store();
}

function store() {
    try {
        if (texts.size) sessionStorage.setItem(KEY, JSON.stringify({ account, texts: [...texts] }));
        else sessionStorage.removeItem(KEY);
    } catch { /* As above. */ }
}
