// Touch gestures on rows: swipe to mark off or delete, drag the handle to move.

import { h, icon } from '../dom.js';
import { t } from '../text.js';

const SWIPE_FROM = 12;
const SWIPE_ENOUGH = 88;
const EDGE = 72;

/**
 * @param {HTMLElement} scroller
 * @param {{swipe: (row: Row, direction: 'mark' | 'delete') => void, drop: (row: Row, above: string | null) => void}} handlers
 */
export function watchGestures(scroller, { swipe, drop }) {
    scroller.addEventListener('pointerdown', event => {
        if (event.button !== 0 || !event.isPrimary) return;
        const element = event.target.closest('.row');
        if (!element || element.classList.contains('gone')) return;
        if (event.target.closest('.handle')) drag(event, element, scroller, drop);
        else if (event.pointerType !== 'mouse' && element.querySelector('.handle:not([hidden])')) watchSwipe(event, element, swipe);
    });
}

function watchSwipe(start, element, swipe) {
    let isSwiping = false, distance = 0, hints = [];
    const end = () => {
        for (const hint of hints) hint.remove();
        element.removeEventListener('pointermove', move);
        element.removeEventListener('pointerup', up);
        element.removeEventListener('pointercancel', end);
        element.classList.remove('swiping', 'swipe-mark', 'swipe-delete');
        element.style.removeProperty('--swipe');
    };
    const move = event => {
        if (event.pointerId !== start.pointerId) return;
        const x = event.clientX - start.clientX, y = event.clientY - start.clientY;
        if (!isSwiping) {
            if (Math.abs(y) > SWIPE_FROM && Math.abs(y) > Math.abs(x)) return end();
            if (Math.abs(x) < SWIPE_FROM || Math.abs(x) < 1.5 * Math.abs(y)) return;
            isSwiping = true;
            element.setPointerCapture(start.pointerId);
            element.classList.add('swiping');
            // They come into sight with the row's movement.
            hints = [h('span.swipe.start', { 'aria-hidden': 'true' }, icon('check'), t(element.row.isMarked ? 'row.again' : 'list.done')),
                h('span.swipe.end', { 'aria-hidden': 'true' }, icon('trash'), t('delete'))];
            element.append(...hints);
        }
        distance = x;
        element.style.setProperty('--swipe', `${x}px`);
        const direction = getComputedStyle(element).direction === 'rtl' ? -1 : 1;
        element.classList.toggle('swipe-mark', x * direction > SWIPE_ENOUGH);
        element.classList.toggle('swipe-delete', x * direction < -SWIPE_ENOUGH);
    };
    const up = () => {
        const direction = getComputedStyle(element).direction === 'rtl' ? -1 : 1;
        end();
        if (!isSwiping) return;
        // The finger was on a button, so this was not a tap.
        element.addEventListener('click', event => { event.stopPropagation(); event.preventDefault(); }, { capture: true, once: true });
        setTimeout(() => element.dispatchEvent(new Event('swiped')), 0);
        if (distance * direction > SWIPE_ENOUGH) swipe(element.row, 'mark');
        else if (distance * direction < -SWIPE_ENOUGH) swipe(element.row, 'delete');
    };
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', end);
}

function drag(start, element, scroller, drop) {
    start.preventDefault();
    const list = element.closest('.items');
    const line = document.createElement('div');
    line.className = 'drop-line';
    const handle = start.target.closest('.handle');
    handle.setPointerCapture(start.pointerId);
    element.classList.add('dragging');
    const origin = scroller.scrollTop;
    let y = start.clientY, target = null, frame = 0;
    scroller.append(line);

    const place = () => {
        const frameBox = scroller.getBoundingClientRect();
        const moved = y - start.clientY + scroller.scrollTop - origin;
        element.style.setProperty('--drag', `${moved}px`);
        // Binary search, because a long list has too many rows to examine each.
        const rows = list.querySelectorAll('.row');
        let low = 0, high = rows.length;
        while (low < high) {
            const middle = low + high >> 1;
            const row = rows[middle];
            const box = row.getBoundingClientRect();
            const top = row === element ? box.top - moved : box.top;
            if (top + box.height / 2 < y) low = middle + 1;
            else high = middle;
        }
        target = low;
        const next = rows[low], last = rows[low - 1];
        const shift = row => row === element ? moved : 0;
        const edge = next ? next.getBoundingClientRect().top - shift(next) : last.getBoundingClientRect().bottom - shift(last);
        line.style.setProperty('--at', `${edge - frameBox.top + scroller.scrollTop}px`);
    };
    const tick = () => {
        const box = scroller.getBoundingClientRect();
        if (y < box.top + EDGE) scroller.scrollTop -= 8;
        else if (y > box.bottom - EDGE) scroller.scrollTop += 8;
        place();
        frame = requestAnimationFrame(tick);
    };
    const move = event => { y = event.clientY; };
    const end = event => {
        cancelAnimationFrame(frame);
        handle.removeEventListener('pointermove', move);
        handle.removeEventListener('pointerup', end);
        handle.removeEventListener('pointercancel', end);
        element.classList.remove('dragging');
        element.style.removeProperty('--drag');
        line.remove();
        if (event.type === 'pointercancel' || target === null) return;
        const rows = [...list.querySelectorAll('.row')];
        const index = rows.indexOf(element);
        if (target === index || target === index + 1) return;
        drop(element.row, rows[target - 1]?.dataset.id ?? null);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
    frame = requestAnimationFrame(tick);
}
