// Sheets, questions and short messages.

import { fill, h, icon, iconButton, set } from '../dom.js';
import { t } from '../text.js';

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
        h('header.sheet-head', {}, heading, iconButton('close', t('close'), () => dialog.close())), body);
    // Where the rest of the page can't be heard.
    dialog.append(...regions());
    dialog.beside = () => dialog.close();
    dialog.addEventListener('pointerdown', event => { if (event.target === dialog) dialog.beside(); });
    // In the colour of the list that is open.
    dialog.dataset.colour = document.querySelector('.shell[data-view=list] .list')?.dataset.colour ?? '';
    document.body.append(dialog);
    dialog.showModal();
    raiseToasts();
    dialog.addEventListener('close', () => {
        raiseToasts();
        dialog.remove();
    });
    dialog.body = body;
    return dialog;
}
let count = 0;

/** Makes a sheet one that saves: at its button and at a tap beside it. × and Escape leave everything as it was. */
export function saveWith(dialog, save) {
    dialog.beside = save;
    set(dialog.querySelector('.sheet-head .icon-button'), { 'aria-label': t('cancel'), title: t('cancel') });
    dialog.body.append(h('p.hint', {}, t('sheet.discards')));
}

/** Asks for confirmation. @returns {Promise<boolean>} */
export function ask(title, text, action, { isDangerous = false } = {}) {
    return new Promise(resolve => {
        let answer = false;
        const dialog = sheet(title, h('p', {}, text), h('div.actions', {},
            h('button.quiet', { onclick: () => dialog.close() }, t('cancel')),
            h(isDangerous ? 'button.primary.danger' : 'button.primary', {
                onclick: () => { answer = true; dialog.close(); },
            }, action)));
        dialog.addEventListener('close', () => resolve(answer));
    });
}

/** The page, or the dialog that makes the rest of it inert. */
const front = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;

const shown = new Map();
const toasts = h('div', { id: 'toasts', role: 'status', 'aria-live': 'off', popover: 'manual' });

/** Shows the messages above everything, where their buttons can be reached. */
function raiseToasts() {
    const place = front();
    if (toasts.parentElement !== place) place.append(toasts);
    toasts.hidePopover?.();
    if (toasts.childElementCount) toasts.showPopover?.();
}

/**
 * Shows a message at the bottom for some seconds.
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
        if (!toasts.childElementCount) toasts.hidePopover?.();
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
    front().querySelector(`:scope > .announcements[aria-live=${isUrgent ? 'assertive' : 'polite'}]`)?.append(line);
    setTimeout(() => line.remove(), ANNOUNCED_FOR);
}

/**
 * A form field with its label.
 * @param {{limit?: number, rows?: number}} [values]  the input's attributes. A text of more than `limit` characters is not cut
 *   but refused, and the field says so
 */
export function field(label, name, { limit, ...values } = {}, hint) {
    const id = `field-${name}-${++count}`;
    const problem = limit && h('p.problem', { id: `${id}-problem`, role: 'alert', hidden: true });
    const input = h(values.rows ? 'textarea' : 'input', {
        id, name, ...values, 'aria-describedby': [hint && `${id}-hint`, problem && problem.id].filter(Boolean).join(' ') || null,
    });
    const check = () => {
        // The service counts code points, too.
        const isTooLong = [...input.value].length > limit;
        if (isTooLong !== problem.hidden) return;
        const text = isTooLong ? t('field.tooLong', { n: limit }) : '';
        input.setCustomValidity(text);
        fill(problem, text).hidden = !isTooLong;
        set(input, { 'aria-invalid': isTooLong ? 'true' : null });
    };
    if (limit) {
        input.addEventListener('input', check);
        check();
    }
    return h('div.field', {}, h('label', { for: id }, label), input, problem, hint && h('p.hint', { id: `${id}-hint` }, hint));
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
                // The field itself says that its text is too long.
                if (!invalid.validity.customError) {
                    fill(problem, invalid.validationMessage).hidden = false;
                    invalid.setAttribute('aria-invalid', 'true');
                    invalid.addEventListener('input', () => invalid.removeAttribute('aria-invalid'), { once: true });
                }
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
