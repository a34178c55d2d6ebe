// @ts-check
// A page with a shared list, on the device of Trolley: it works offline, and stays in step with every other device.

import { TrolleyDevice } from 'trolley/device';

/** @param {string} selector @returns {any} */
const find = selector => document.querySelector(selector);
/** @param {string} selector @param {string} event @param {(form: any) => Promise<unknown>} work */
const on = (selector, event, work) => find(selector).addEventListener(event, async (/** @type {Event} */ event) => {
    event.preventDefault();
    find('output').value = '';
    await work(event.currentTarget).catch(error => { find('output').value = error.message; });
});

const device = await TrolleyDevice.start();
/** @type {import('trolley/device').ShoppingList | undefined} */
let list;
/** @type {Promise<void> | undefined} */
let opening;

/** Opens the list of the invitation in the address, otherwise one that is here, otherwise a new one. */
async function open() {
    const [first] = device.state.lists;
    list = location.hash ? await device.join(location.href) : first ? device.list(first.id) : await device.makeList('Shopping');
    history.replaceState(null, '', '/');
    list.subscribe(show);
}

function show() {
    const { account, sync } = device.state;
    find('#person').hidden = account !== null;
    find('main').hidden = account === null;
    if (account) opening ??= open().then(show);
    find('h1').textContent = `${list?.state?.name ?? ''} ${sync.isInStep ? '✓' : sync.problem ?? '…'}`;
    find('ul').replaceChildren(...(list?.state?.items ?? []).map(item => {
        const row = document.createElement('li'), box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: item.markedOff });
        box.onchange = () => box.checked ? list?.markOff(item.id) : list?.unmark(item.id);
        row.append(box, ` ${item.text} ${item.fields.quantity ?? ''}`);
        return row;
    }));
}

on('#person', 'submit', form => device.signUp({ name: form.name.value, email: form.email.value, password: form.password.value }));
on('#adding', 'submit', async form => {
    await list?.add(form.text.value);
    form.text.value = '';
});
on('#undo', 'click', async () => list?.undo());
on('#invite', 'click', async () => { find('output').value = await list?.invite(); });
device.subscribe(show);
show();
