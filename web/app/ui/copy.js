// Copies a text to the clipboard, and says whether that worked.

import { h } from '../dom.js';
import { t } from '../text.js';
import { toast } from './sheet.js';

/** @param {string | Promise<string>} text  called in a tap; Safari refuses what is written after it has waited */
export async function copy(text) {
    try {
        await write(text);
        toast(t('copied'));
    } catch (error) {
        console.info('not copied', error);
        toast(t('copy.failed'), { isError: true });
    }
}

async function write(text) {
    const { clipboard } = navigator;
    if (text instanceof Promise && clipboard?.write && globalThis.ClipboardItem) {
        const blob = text.then(text => new Blob([text], { type: 'text/plain' }));
        // Older browsers take no promise.
        const isWritten = await clipboard.write([new ClipboardItem({ 'text/plain': blob })]).then(() => true, () => false);
        if (isWritten) return;
    }
    if (clipboard) return clipboard.writeText(await text);
    // Over plain HTTP there is no clipboard. The field is in the open sheet, because the rest of the page is inert.
    const field = h('textarea', { readonly: true });
    field.value = await text;
    ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(field);
    field.select();
    const isWritten = document.execCommand('copy');
    field.remove();
    if (!isWritten) throw new Error('the browser refuses');
}
