/**
 * The key of all texts that mean the same item or aisle, as `ItemKey` in Sources/TrolleyJournal/Lines: also for the time before
 * the module is loaded. Unlike JavaScript, Swift has one lower case of Σ.
 */
export const keyOf = text => text.replaceAll('Σ', 'σ').toLowerCase().split(/[ \t\u00a0]+/).filter(Boolean).join(' ');

/** Whether a word of a key begins with another key, which may have several words. */
export const beginsWord = (key, beginning) => key.startsWith(beginning) || key.includes(` ${beginning}`);

/** What a list wants already by a name: that is not suggested. */
export function wantedBy(state, name) {
    const key = keyOf(name);
    return key ? state.items.filter(item => !item.markedOff && beginsWord(keyOf(item.text), key)) : [];
}
