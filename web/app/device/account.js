// Who uses this browser: signing up, in and out, here and from elsewhere.

import { isKnown, setKnown } from './known.js';
import { deviceName } from './name.js';
import { Store } from './store.js';
import { CallError, call, sessions } from './transport.js';

export class Account {
    #device;
    #isLeaving = false;

    constructor(device) {
        this.#device = device;
        sessions.addEventListener('signedOut', () => this.#leave().catch(error => device.noteTrouble(error)));
    }

    // MARK: In

    async signUp({ name, email, password, invitation, emailCode }) {
        const form = { email, name, password, ...(invitation && { invitation }), ...(emailCode && { emailCode }) };
        const { device, ...account } = await call('POST', 'accounts', { ...form, cookie: true, deviceName: deviceName() });
        return device ? this.#begin({ account, device }) : this.signIn({ email, password });
    }

    async signIn({ email, password }) {
        return this.#begin(await call('POST', 'sessions', { email, password, cookie: true, deviceName: deviceName() }));
    }

    /** Whether the browser has cleared the storage of a person who was signed in. */
    get isCleared() { return !this.#device.session && isKnown(); }

    /**
     * Goes on with the session of the cookie: after the browser has cleared the storage, or anew, after somebody has signed in
     * at an identity provider.
     */
    async resume({ isAnew = false } = {}) {
        const account = await call('GET', 'account');
        const { devices } = await call('GET', 'devices');
        if (isAnew || !this.#device.session) await this.#begin({ account, device: devices.find(device => device.current) });
    }

    async #begin({ account, device: own }) {
        const device = this.#device, { lists } = device, session = { account, device: own };
        const before = device.session?.account;
        // Another account's data must not go to this person.
        if (before && !device.isAlone && before.id !== account.id && before.email.toLowerCase() !== account.email.toLowerCase()) {
            await this.#forgetEverything();
        }
        if (device.session) {
            // The service has ended the session, or there was none. If it has lost the account, a new account with the same
            // address succeeds it.
            await device.store.signedInAgain(session, new Date(), await device.loaded());
            for (const id of lists.rows.keys()) lists.unfolded.set(id, null);
        } else {
            await device.store.saveSession(session, await device.loaded());
            if (device.left) await lists.reloadRows();
        }
        device.session = session;
        device.left = null;
        setKnown(true);
        for (const id of [...lists.rows.keys()]) await device.refresh(id);
        device.tabs.tell({ type: 'session' });
        device.emit('session');
        device.tabs.listen();
        device.sync('manual');
        navigator.storage?.persist?.().catch(() => {});
    }

    /** Asks for the account as the service has it, which also renews the cookie. */
    async refresh() { return this.note(await call('GET', 'account')); }

    /** The service has said this of an account. */
    async note(account) {
        const device = this.#device;
        if (device.session?.account.id !== account.id) return account;
        device.session = { ...device.session, account };
        await device.store.renewSession(device.session);
        return account;
    }

    // MARK: Out

    /** The number of changes that signing out would lose. */
    async unsent() { return (await this.#device.store.status()).lists.reduce((sum, list) => sum + list.waiting, 0); }

    async signOut({ isOver = false } = {}) {
        if (!isOver) {
            try {
                await call('DELETE', 'session');
            } catch (error) {
                // The service has ended it already.
                if (!(error instanceof CallError) || error.code !== 'notAuthenticated') throw error;
            }
        }
        await this.#end(() => this.#device.store.wipe());
    }

    /** An answer says that this browser was signed out elsewhere: the lists leave, if that is true of the present session. */
    async #leave() {
        const device = this.#device;
        if (!device.session || device.isAlone || this.#isLeaving) return;
        this.#isLeaving = true;
        try {
            // The answer may have been to an earlier session's call.
            const error = await call('GET', 'account').then(() => null, error => error);
            if (error?.problem?.signedOut) await this.#end(async () => { device.left = await device.store.leave(); });
        } finally {
            this.#isLeaving = false;
        }
    }

    /** @param {() => Promise<any>} clear  the storage */
    async #end(clear) {
        this.#device.tabs.hush();
        await this.#forgetEverything(clear);
        this.#device.tabs.tell({ type: 'session' });
        this.#device.emit('session');
    }

    async #forgetEverything(clear = () => this.#device.store.wipe()) {
        const device = this.#device;
        // The service has ended the subscription with the session, or will not reach this browser any more.
        if (await device.store.kept('push')) await import('./push.js').then(push => push.forget()).catch(() => {});
        await import('./ahead.js').then(ahead => ahead.forgetAhead()).catch(() => {});
        await clear();
        device.session = null;
        for (const part of [device.lists, device.summaries, device.runs]) part.clear();
        setKnown(false);
        // A fetch that is under way keeps the store of its session.
        device.store = new Store(device.store.database);
    }
}
