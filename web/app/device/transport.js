// The service's calls. The session is a cookie that no script can read.

import { note, pathOf, wordOf } from './log.js';

/** A call that failed: `reason` is 'problem', 'unreachable' or 'notUnderstood', as the module's events name it. */
export class CallError extends Error {
    constructor(reason, detail, problem) {
        super(problem ? problem.detail ?? problem.title ?? problem.code : detail);
        this.reason = reason;
        this.detail = detail;
        this.problem = problem;
    }

    get code() { return this.problem?.code ?? this.reason; }

    /** As the sync machine takes it. */
    get event() { return { reason: this.reason, detail: this.detail, problem: this.problem }; }
}

/** Whether a call failed because the service can't answer, or nobody is signed in: then the device answers from what it has. */
export const isWithoutService = error => error instanceof CallError
    && (error.reason !== 'problem' || ['notAuthenticated', 'serviceUnavailable', 'internalError'].includes(error.code));

const TIMEOUT = 30_000;

/** Gets an event `signedOut` when an answer says that this browser was signed out elsewhere. */
export const sessions = new EventTarget();

/**
 * @param {string} method
 * @param {string} path  below /v1
 * @param {object} [body]
 * @returns {Promise<any>}  the answer, or null when it has no content
 */
export async function call(method, path, body, { keepalive = false } = {}) {
    const what = `${method} ${pathOf(path)}`, start = performance.now();
    const noteAnswer = answer => note(`is answered ${answer} after ${Math.round(performance.now() - start)} ms: ${what}`);
    let response, text;
    note(`asks: ${what}`);
    try {
        response = await fetch(`/v1/${path}`, {
            method, keepalive, credentials: 'same-origin', cache: 'no-store', redirect: 'error',
            ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
            ...(AbortSignal.timeout && { signal: AbortSignal.timeout(TIMEOUT) }),
        });
        text = await response.text();
    } catch (error) {
        noteAnswer('nothing');
        throw new CallError('unreachable', String(error?.message ?? error));
    }
    let json = null;
    try {
        if (text) json = JSON.parse(text);
    } catch { /* Something between here and the service has answered in its place. */ }
    noteAnswer(response.ok || typeof json?.code !== 'string' ? response.status : `${response.status} ${wordOf(json.code)}`);
    if (response.ok && (json !== null || response.status === 204)) return json;
    if (!response.ok && typeof json?.code === 'string') {
        if (json.signedOut) sessions.dispatchEvent(new Event('signedOut'));
        throw new CallError('problem', json.detail, json);
    }
    // A gateway without the service behind it.
    if (response.status >= 500) throw new CallError('unreachable', `HTTP ${response.status}`);
    throw new CallError('notUnderstood', `HTTP ${response.status}`);
}
