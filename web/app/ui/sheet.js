// Sheets, questions and short messages.

import { fill, h, iconButton } from '../dom.js';
import { t } from '../text.js';

/**
 * Opens a sheet: from below on a phone, in the middle on a wide screen.
 * @param {string} title
 * @param {...any} content
 * @returns {HTMLDialogElement}  its 'close' event comes when the sheet is removed
 */
export function sheet(title, ...content) {
    const heading = h('h2', { id: `sheet-${++count}` }, title);
    const body = h('div.sheet-body', {}, ...content);
    const dialog = h('dialog.sheet', { 'aria-labelledby': heading.id },
        h('header.sheet-head', {}, heading, iconButton('close', t('close'), () => dialog.close())), body);
    dialog.addEventListener('close', () => dialog.remove());
    // Beside it closes it.
    dialog.addEventListener('pointerdown', event => { if (event.target === dialog) dialog.close(); });
    // In the colour of the list that is open.
    dialog.dataset.colour = document.querySelector('.shell[data-view=list] .list')?.dataset.colour ?? '';
    document.body.append(dialog);
    dialog.showModal();
    dialog.body = body;
    return dialog;
}
let count = 0;

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

const shown = new Map();

/**
 * Shows a message at the bottom for some seconds.
 * @param {string} text
 * @param {{action?: string, onaction?: () => void, stays?: boolean, name?: string, isError?: boolean}} [options]  `name`:
 *   of several with the same name the newest shows
 */
export function toast(text, { action, onaction, stays = false, name = 'toast', isError = false } = {}) {
    let region = document.getElementById('toasts');
    if (!region) {
        region = h('div', { id: 'toasts', role: 'status', 'aria-live': 'polite', popover: 'manual' });
        document.body.append(region);
    }
    shown.get(name)?.();
    const element = h(isError ? 'div.toast.error' : 'div.toast', {}, h('span', {}, text),
        action && h('button', { onclick: () => { dismiss(); onaction(); } }, action),
        stays && iconButton('close', t('close'), () => dismiss()));
    const dismiss = () => {
        element.remove();
        clearTimeout(timer);
        if (shown.get(name) === dismiss) shown.delete(name);
        if (!region.childElementCount) region.hidePopover?.();
    };
    shown.set(name, dismiss);
    region.append(element);
    // Above an open sheet.
    region.hidePopover?.();
    region.showPopover?.();
    const timer = stays ? null : setTimeout(dismiss, action ? 7000 : 4000);
    return dismiss;
}

/** Announces a text to screen readers. */
export function announce(text) {
    let region = document.getElementById('announcements');
    if (!region) {
        region = h('div.hidden', { id: 'announcements', 'aria-live': 'polite' });
        document.body.append(region);
    }
    fill(region, text);
}

/** A form field with its label. */
export function field(label, name, values = {}, hint) {
    const id = `field-${name}-${++count}`;
    const input = h(values.rows ? 'textarea' : 'input', { id, name, ...values, ...(hint && { 'aria-describedby': `${id}-hint` }) });
    return h('div.field', {}, h('label', { for: id }, label), input, hint && h('p.hint', { id: `${id}-hint` }, hint));
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
            if (invalid) {
                fill(problem, invalid.validationMessage).hidden = false;
                invalid.setAttribute('aria-invalid', 'true');
                invalid.addEventListener('input', () => invalid.removeAttribute('aria-invalid'), { once: true });
                return invalid.focus();
            }
            button.disabled = true;
            problem.hidden = true;
            try {
                await onsubmit(Object.fromEntries(new FormData(element)));
            } catch (error) {
                fill(problem, explain(error)).hidden = false;
            }
            button.disabled = false;
        },
    }, ...fields, problem, button);
}

/** An error as a sentence for the person. */
export function explain(error) {
    const key = `error.${error?.code ?? error?.kind}`;
    const text = t(key, { detail: error?.problem?.detail ?? '', seconds: error?.problem?.retryAfter ?? 1 });
    return text === key ? t('error.other', { detail: String(error?.problem?.detail ?? error?.message ?? error) }) : text;
}
