import { readFileSync } from 'node:fs';

const manifest = new URL('../../../package.json', import.meta.url);

/** The version of the shop, e.g. "0.2.0": the one of package.json, read at the start. */
export const version: string = JSON.parse(readFileSync(manifest, 'utf8')).version;
