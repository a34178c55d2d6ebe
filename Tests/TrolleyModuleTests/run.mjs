// Does the calls of a file in web/trolley.wasm, through web/trolley.js: node run.mjs DIRECTORY < CALLS > ANSWERS
// A call is a line: its name, the handle, the input. An answer is a line: the output, or `!` and the error.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto; // node 18
const web = process.argv[2];
const { Trolley, TrolleyError } = await import(pathToFileURL(`${web}/trolley.js`));
const trolley = await Trolley.load(readFileSync(`${web}/trolley.wasm`));
const encoder = new TextEncoder();
const answers = [];
for (const line of readFileSync(0, 'utf8').split('\n')) {
    if (line === '') continue;
    const [name, handle] = line.split(' ', 2);
    const input = line.slice(name.length + handle.length + 2);
    try {
        answers.push(new TextDecoder().decode(trolley.callBytes(name, Number(handle), encoder.encode(input))));
    } catch (error) {
        if (!(error instanceof TrolleyError)) throw error;
        answers.push(`!${error.message}`);
    }
}
writeFileSync(1, answers.join('\n') + '\n');
