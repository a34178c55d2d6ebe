// Quantities as people write them: '2', '2 l', '2 × 500 g'. The first whole number counts.

const WHOLE = /^(\d{1,6})(?![.,\d/])/;

/** One more or less of it; large numbers go in larger steps. Without a number there is one. '' for one or none, the same if it has no number. */
export function stepped(quantity, by) {
    const number = Number(quantity.match(WHOLE)?.[1] ?? 1), rest = quantity.replace(WHOLE, '');
    if (quantity && !WHOLE.test(quantity)) return quantity;
    const next = number + by * (number >= 100 ? 50 : number >= 20 ? 10 : 1);
    return next < 1 || next === 1 && !rest ? '' : `${next}${rest}`;
}

/** The sum of two quantities of one unit; null: they have none. */
export function sum(one, other) {
    const [a, b] = [one, other].map(quantity => quantity.match(WHOLE));
    const unit = quantity => quantity.replace(WHOLE, '').trim().toLowerCase();
    return a && b && !/^[×x*]/.test(unit(one)) && unit(one) === unit(other) ? `${Number(a[1]) + Number(b[1])}${one.replace(WHOLE, '')}` : null;
}
