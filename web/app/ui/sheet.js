// Sheets, questions and short messages.

import { fill, h, icon, iconButton, set } from '../dom.js';
import { t } from '../text.js';
import { frontSheet, noteSheets } from './back.js';

/** Milliseconds in which an error can be read, and in which a screen reader has taken up a text. */
const ERRORS_FOR = 20_000;
const ANNOUNCED_FOR = 3000;

/** A menu behind a button with three dots. @returns {HTMLDetailsElement} */
export function moreMenu(label, ...entries) {
    const menu = h('div.menu', {}, ...entries);
    // At the end of a sheet there may be more of it below.
    return h('details.mini', { ontoggle: () => menu.scrollIntoView({ block: 'nearest' }) }, h('summary', { 'aria-label': label }, icon('more')), menu);
}

/**
 * Opens a sheet: from below on a phone, in the middle on a wide screen.
 * @param {string} title
 * @param {...any} content
 * @returns {HTMLDialogElement}  its 'close' event comes when the sheet is removed
 */
export function sheet(title, ...content) {
    const heading = h('h2', { id: `sheet-${++count}`, dir: 'auto' }, title);
    const body = h('div.sheet-body', {}, ...content);
    const dialog = h('dialog.sheet', { 'aria-labelledby': heading.id },
        h('header.sheet-head', {}, heading, iconButton('close', t('close'), () => dialog.leave())), body);
    // Where the rest of the page can't be heard.
    dialog.append(...regions());
    // What ×, Escape and Back do, and a tap beside the sheet.
    dialog.leave = () => dialog.close();
    dialog.beside = () => dialog.leave();
    dialog.addEventListener('pointerdown', event => { if (event.target === dialog) dialog.beside(); });
    dialog.addEventListener('cancel', event => {
        event.preventDefault();
        dialog.leave();
    });
    // In the colour of the list that is open.
    dialog.dataset.colour = document.querySelector('.shell[data-view=list] .list')?.dataset.colour ?? '';
    document.body.append(dialog);
    dialog.showModal();
    raiseToasts();
    noteSheets();
    dialog.addEventListener('close', () => {
        raiseToasts();
        dialog.remove();
        noteSheets();
    });
    dialog.body = body;
    return dialog;
}
let count = 0;

/**
 * Makes a sheet one that saves: at its button and at a tap beside it. ×, Escape and Back ask if something has changed.
 * @param {() => void} save
 * @param {{isChanged?: () => boolean, action?: () => string}} [options]  `action`: what saving is called
 */
export function saveWith(dialog, save, { isChanged = () => isTouched(dialog), action = () => t('sheet.save') } = {}) {
    dialog.beside = save;
    dialog.leave = async () => {
        if (!isChanged()) return dialog.close();
        const choice = await choose(t('sheet.changed'), t('sheet.changed.text'), [t('sheet.discard'), action()]);
        if (choice === 1) save();
        else if (choice === 0) dialog.close();
    };
}

/** Whether a field has another value than the one that it was given. */
const isTouched = element => [...element.querySelectorAll('input, textarea')].some(field =>
    field.type === 'radio' ? field.checked !== field.defaultChecked : field.value.trim() !== field.defaultValue.trim());

/** Lets the person choose an action, the last one most likely. @returns {Promise<number | null>}  its index; null: none of them */
export function choose(title, text, actions, { isDangerous = false } = {}) {
    return new Promise(resolve => {
        let choice = null;
        const main = isDangerous ? 'button.primary.danger' : 'button.primary';
        const dialog = sheet(title, h('p', {}, text), h('div.actions', {}, actions.map((action, index) =>
            h(index === actions.length - 1 ? main : 'button.quiet', { onclick: () => { choice = index; dialog.close(); } }, action))));
        dialog.addEventListener('close', () => resolve(choice));
    });
}

/** Asks for confirmation. @returns {Promise<boolean>} */
export async function ask(title, text, action, options) {
    return await choose(title, text, [t('cancel'), action], options) === 1;
}

const shown = new Map();
const toasts = h('div', {
    id: 'toasts', role: 'status', 'aria-live': 'off', popover: 'manual',
    // The field keeps the focus, and a phone its keyboard: otherwise the button would move before it is clicked.
    onmousedown: event => event.target.closest('button') && event.preventDefault(),
});

/**
 * Puts the messages where they cover nothing: above the open sheet, or between the rows and the field for adding. Elsewhere
 * they are at the bottom.
 */
export function raiseToasts() {
    const dialog = frontSheet(), slot = dialog ? null : document.querySelector('.toast-place');
    const place = dialog ?? slot ?? document.body;
    if (toasts.parentElement !== place) place.append(toasts);
    toasts.popover = slot ? null : 'manual';
    if (!slot) toasts.hidePopover?.();
    if (!slot && toasts.childElementCount) toasts.showPopover?.();
    dialog?.style.setProperty('--toasts', toasts.childElementCount ? `${toasts.offsetHeight + 16}px` : '0px');
}

/**
 * Shows a message for some seconds.
 * @param {string} text
 * @param {{action?: string, onaction?: () => void, stays?: boolean, name?: string, isError?: boolean}} [options]  `name`:
 *   of several with the same name the newest shows
 */
export function toast(text, { action, onaction, stays = false, name = 'toast', isError = false } = {}) {
    shown.get(name)?.();
    const element = h(isError ? 'div.toast.error' : 'div.toast', {}, h('span', { dir: 'auto' }, text),
        action && h('button', { onclick: () => { dismiss(); onaction(); } }, action),
        (stays || isError) && iconButton('close', t('close'), () => dismiss()));
    const dismiss = () => {
        element.remove();
        clearTimeout(timer);
        if (shown.get(name) === dismiss) shown.delete(name);
        raiseToasts();
    };
    shown.set(name, dismiss);
    toasts.append(element);
    raiseToasts();
    announce(text, { isUrgent: isError });
    const timer = stays ? null : setTimeout(dismiss, isError ? ERRORS_FOR : action ? 7000 : 4000);
    return dismiss;
}

/** Screen readers only hear what is added to a region that was there before. */
const regions = () => [
    h('div.hidden.announcements', { role: 'status', 'aria-live': 'polite' }), h('div.hidden.announcements', { role: 'alert', 'aria-live': 'assertive' }),
];
document.body.append(...regions());

/** Announces a text to screen readers. */
export function announce(text, { isUrgent = false } = {}) {
    const line = h('p', {}, text);
    (frontSheet() ?? document.body).querySelector(`:scope > .announcements[aria-live=${isUrgent ? 'assertive' : 'polite'}]`)?.append(line);
    setTimeout(() => line.remove(), ANNOUNCED_FOR);
}

/**
 * A form field with its label. What is wrong with its value stands below it.
 * @param {{limit?: number, rows?: number}} [values]  the input's attributes. A text of more than `limit` characters is not cut
 *   but refused, and the field says so
 */
export function field(label, name, { limit, value, ...values } = {}, hint) {
    const id = `field-${name}-${++count}`;
    const problem = h('p.problem', { id: `${id}-problem`, role: 'alert', hidden: true });
    const input = h(values.rows ? 'textarea' : 'input', {
        id, name, ...values, 'aria-describedby': [hint && `${id}-hint`, problem.id].filter(Boolean).join(' '),
    });
    input.defaultValue = value ?? '';
    input.tell = text => {
        fill(problem, text).hidden = !text;
        set(input, { 'aria-invalid': text ? 'true' : null });
    };
    const check = () => {
        // The service counts code points, too.
        const text = [...input.value].length > limit ? t('field.tooLong', { n: limit }) : '';
        input.setCustomValidity(text);
        input.tell(text);
    };
    input.addEventListener('input', check);
    if (limit) check();
    return h('div.field', {}, h('label', { for: id }, label), input, problem, hint && h('p.hint', { id: `${id}-hint` }, hint));
}

/** What is wrong with a field's value, in the page's language. */
export function problemOf({ validity, validationMessage, minLength }) {
    if (validity.customError) return validationMessage;
    if (validity.valueMissing) return t('field.missing');
    if (validity.typeMismatch) return t('field.noEmail');
    return validity.tooShort ? t('field.tooShort', { n: minLength }) : validationMessage;
}

/** A form that is sent once at a time, and shows errors. */
export function form(action, onsubmit, ...fields) {
    const problem = h('p.problem', { role: 'alert', hidden: true });
    const button = h('button.primary.wide', { type: 'submit' }, action);
    button.type = 'submit';
    return h('form.form', {
        novalidate: true,
        onsubmit: async event => {
            event.preventDefault();
            if (button.disabled) return;
            const element = event.currentTarget;
            const invalid = [...element.elements].find(input => !input.checkValidity());
            problem.hidden = true;
            if (invalid) {
                invalid.tell?.(problemOf(invalid));
                return invalid.focus();
            }
            button.disabled = true;
            try {
                await onsubmit(Object.fromEntries(new FormData(element)));
            } catch (error) {
                fill(problem, explain(error)).hidden = false;
            }
            button.disabled = false;
        },
    }, ...fields, problem, button);
}

/** Says why a change wasn't made. Of trouble with the storage the device has told. */
export function untold(error) {
    if (!error?.kind) toast(explain(error), { isError: true });
}

/** An error as a sentence for the person. */
export function explain(error) {
    const key = `error.${error?.code ?? error?.kind}`;
    const text = t(key, { detail: error?.problem?.detail ?? '', seconds: error?.problem?.retryAfter ?? 1 });
    return text === key ? t('error.other', { detail: String(error?.problem?.detail ?? error?.message ?? error) }) : text;
}
