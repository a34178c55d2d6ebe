// Does the calls of a file in a module, through web/trolley.js: node run.mjs TROLLEY.JS MODULE.WASM < CALLS > ANSWERS
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { webcrypto } from 'node:crypto';
import { answers } from './answers.mjs';

globalThis.crypto ??= webcrypto; // node 18
const [script, wasm] = process.argv.slice(2);
const lines = await answers(await import(pathToFileURL(script)), [readFileSync(wasm)], readFileSync(0, 'utf8'));
writeFileSync(1, lines.join('\n') + '\n');
