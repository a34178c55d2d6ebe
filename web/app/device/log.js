// The device log: what this tab has decided, asked, been answered and waited for, for the diagnostics. It is in memory only, and has
// ids, counts, codes and times; never what people wrote, their names and addresses, or a secret.

const LINES = 500;
const lines = [];
const channel = globalThis.BroadcastChannel ? new BroadcastChannel('trolley-log') : null;

/** Adds a line. The oldest ones go. */
export function note(text) {
    if (lines.push(`${new Date().toISOString()} ${text}`) > LINES) lines.shift();
}

/** The lines of this tab, oldest first. */
export const logged = () => [...lines];

// A tab that doesn't lead doesn't sync, so its diagnostics have the other tabs' lines, too.
if (channel) channel.onmessage = ({ data }) => data?.type === 'lines?' && channel.postMessage({ type: 'lines', to: data.from, lines });

/** The lines of the browser's other tabs, as far as they answer. @param {number} within  milliseconds */
export async function loggedElsewhere(within = 250) {
    if (!channel) return [];
    const others = [], from = Math.random(), asking = new AbortController();
    channel.addEventListener('message', ({ data }) => data?.type === 'lines' && data.to === from && others.push(data.lines), { signal: asking.signal });
    channel.postMessage({ type: 'lines?', from });
    await new Promise(go => setTimeout(go, within));
    asking.abort();
    return others;
}

/** A path without its query, and without what is neither a word of the API, nor an id, nor a number. */
export const pathOf = path => path.split('?')[0].split('/').map(part => /^([a-z-]+|[0-9a-f-]{36}|\d+)$/.test(part) ? part : '…').join('/');

/** A code of the service, which is a word. */
export const wordOf = code => /^\w{1,40}$/.test(code) ? code : '…';

/** A failure of a run as a code: its details may have anything in them. */
export const codeOf = failure => failure && wordOf(failure.problem?.code ?? failure.reason);

/** The action of a run's machine. */
export function noteAction({ type, list, entries, code, body, shopping, report }) {
    const { outcome, sent, rejected, received, waiting, failure, nextTry } = report ?? {};
    const words = {
        list, entries: Array.isArray(entries) ? entries.length : entries, code, lists: body && Object.keys(body.tokens).length, shopping,
        outcome, sent, rejected, received, waiting, failure: codeOf(failure), nextTry,
    };
    note(['decides', type, ...Object.entries(words).filter(([, value]) => value !== undefined && value !== null).map(pair => pair.join('='))].join(' '));
}

/** That the device waits for its next try, and why. */
export const noteWait = ({ nextTry, failure }, { lately, askedToWait } = {}) => note(
    `waits ${Math.max(0, Date.parse(nextTry) - Date.now())} ms${askedToWait ? ', as the service asks' : ''}: ${codeOf(failure) ?? lately?.[0]?.code ?? 'no failure'}`);
