// Touch gestures: swipe a row to mark off or delete, drag its handle to move, pull down at the top to sync.

import { h, icon } from '../dom.js';
import { t } from '../text.js';

const SWIPE_FROM = 12;
const SWIPE_ENOUGH = 88;
const EDGE = 72;
/** Milliseconds after a swipe in which a click is part of it. */
const CLICK_WITHIN = 100;
/** How far a finger pulls until letting go syncs, and how far the sign of that comes at most, in pixels. */
const PULL_ENOUGH = 64;
const PULL_MOST = 88;

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
        // The pen was on a button, so this was not a tap. After a finger's swipe no click comes: the next one is a tap.
        const swallow = event => { event.stopPropagation(); event.preventDefault(); };
        element.addEventListener('click', swallow, { capture: true, once: true });
        setTimeout(() => element.removeEventListener('click', swallow, { capture: true }), CLICK_WITHIN);
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
    const handle = start.target.closest('.handle');
    handle.setPointerCapture(start.pointerId);
    element.classList.add('dragging');
    const origin = scroller.scrollTop;
    const own = [...list.querySelectorAll('.row')].indexOf(element), height = element.offsetHeight;
    let y = start.clientY, target = own, frame = 0;
    /** How many rows below the dragged one, or above it if negative, have made room. */
    let room = 0;
    // The rows themselves stay, so their places can be measured; what is in them moves.
    const makeRoom = (rows, wanted) => {
        while (room !== wanted) {
            const isGrowing = Math.abs(wanted) > Math.abs(room) && wanted * room >= 0;
            const step = isGrowing ? Math.sign(wanted) : -Math.sign(room);
            const row = rows[own + (isGrowing ? room + step : room)];
            row?.classList.toggle('room', isGrowing);
            if (isGrowing) row?.style.setProperty('--room-by', `${-step * height}px`);
            room += step;
        }
    };

    const place = () => {
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
        makeRoom(rows, low > own ? low - own - 1 : low - own);
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
        const rows = [...list.querySelectorAll('.row')];
        for (const row of list.querySelectorAll('.row.room')) {
            row.classList.remove('room');
            row.style.removeProperty('--room-by');
        }
        if (event.type === 'pointercancel') return;
        // The list may have changed under the finger.
        const index = rows.indexOf(element);
        if (index < 0 || target === index || target === index + 1) return;
        drop(element.row, rows[target - 1]?.dataset.id ?? null);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end);
    handle.addEventListener('pointercancel', end);
    frame = requestAnimationFrame(tick);
}

/** Pulling down at the top syncs. Only a sign moves, no row. @param {() => Promise<unknown>} sync */
export function watchPull(scroller, sync) {
    const sign = h('div.pull', { hidden: true, 'aria-hidden': 'true' }, icon('cloud'));
    let start = null, distance = 0, isSyncing = false;
    scroller.before(sign);
    const show = () => {
        sign.hidden = !distance && !isSyncing;
        sign.style.setProperty('--pull', `${isSyncing ? PULL_ENOUGH / 2 : distance}px`);
        sign.classList.toggle('enough', distance >= PULL_ENOUGH || isSyncing);
    };
    const end = () => {
        start = null;
        distance = 0;
        show();
    };
    scroller.addEventListener('touchstart', event => {
        const isAtTop = scroller.scrollTop <= 0 && !event.target.closest('.handle');
        start = event.touches.length === 1 && isAtTop ? event.touches[0] : null;
    }, { passive: true });
    scroller.addEventListener('touchmove', event => {
        if (!start) return;
        const [touch] = event.touches, x = touch.clientX - start.clientX, y = touch.clientY - start.clientY;
        // It is a swipe, or scrolling.
        if (event.touches.length > 1 || scroller.scrollTop > 0 || y < 0 || !distance && Math.abs(x) > Math.abs(y)) return end();
        distance = Math.min(y / 2, PULL_MOST);
        show();
    }, { passive: true });
    scroller.addEventListener('touchcancel', end);
    scroller.addEventListener('touchend', async () => {
        const isEnough = distance >= PULL_ENOUGH;
        end();
        if (!isEnough || isSyncing) return;
        isSyncing = true;
        show();
        await sync();
        isSyncing = false;
        show();
    });
}
