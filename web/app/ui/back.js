// Back closes the sheet in front. While sheets are open, the history has one entry more, at the same address.

/** Fulfilled when that entry is gone again; null: it isn't being taken away. */
let leaving = null;

/** The sheet in front, which makes the rest of the page inert. */
export const frontSheet = () => [...document.querySelectorAll('dialog[open]')].at(-1);

/** A sheet has been opened or closed. */
export function noteSheets() {
    if (leaving) return;
    const isNoted = !!history.state?.sheet;
    if (frontSheet() && !isNoted) history.pushState({ sheet: true }, '');
    else if (!frontSheet() && isNoted) leave();
}

function leave() {
    leaving = new Promise(done => addEventListener('popstate', () => {
        leaving = null;
        // A sheet may have been opened in the meantime.
        noteSheets();
        done();
    }, { once: true }));
    history.back();
}

/** Goes to an address, from a sheet that is closing too. */
export async function go(path) {
    await leaving;
    if (!history.state?.sheet) {
        location.hash = path || '#/';
        return;
    }
    // At once: after `location.replace`, WebKit still has the sheet's state when the sheet has closed, and would go back.
    history.replaceState(null, '', path || '#/');
    dispatchEvent(new Event('hashchange'));
}

// A page that is loaded again has no sheet open.
if (history.state?.sheet) history.replaceState(null, '');

addEventListener('popstate', () => {
    if (leaving) return;
    if (!history.state?.sheet) frontSheet()?.leave();
    noteSheets();
});
