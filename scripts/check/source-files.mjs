import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files below some folders of a tree whose names match, as paths with forward slashes, in a stable order. */
export function listFiles(root, folders, pattern) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => pattern.test(path) && !/(^|\/)node_modules\//.test(path))
    .sort();
}

export function readSource(root, path) {
  return readFileSync(join(root, path), 'utf8');
}

/** The number of the line, from 1, that holds a position of a text. */
export function lineAt(source, position) {
  return source.slice(0, position).split('\n').length;
}

export const isTest = (path) => path.startsWith('test/') || /\.(test|spec)\.tsx?$/.test(path);
