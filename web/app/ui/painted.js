/** Milliseconds in which a page is painted, otherwise it is in the background. */
const PAINTED_AFTER = 300;

/** Waits until what is on the page has been painted, or the page goes. Pages in the background are not painted, or only later. */
export const painted = () => document.hidden ? null : new Promise(go => {
    const isOver = new AbortController();
    const end = () => {
        isOver.abort();
        go();
    };
    requestAnimationFrame(() => setTimeout(end));
    setTimeout(end, PAINTED_AFTER);
    for (const type of ['visibilitychange', 'pagehide']) addEventListener(type, end, { signal: isOver.signal });
});
