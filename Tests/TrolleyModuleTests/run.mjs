// Does the calls of a file in web/trolley.wasm, through web/trolley.js: node run.mjs DIRECTORY < CALLS > ANSWERS
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { webcrypto } from 'node:crypto';
import { answers } from './answers.mjs';

globalThis.crypto ??= webcrypto; // node 18
const web = process.argv[2];
const module = await import(pathToFileURL(`${web}/trolley.js`));
const lines = await answers(module, readFileSync(`${web}/trolley.wasm`), readFileSync(0, 'utf8'));
writeFileSync(1, lines.join('\n') + '\n');
