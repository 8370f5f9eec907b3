import { readFileSync } from 'node:fs';

const manifest = new URL('../../../package.json', import.meta.url);

/** The version in package.json, e.g. "0.2.0", read at the start. */
export const version: string = JSON.parse(readFileSync(manifest, 'utf8')).version;
