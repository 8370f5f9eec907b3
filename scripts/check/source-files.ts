import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something a check does not accept, with the line to look at where there is one. */
export interface Finding {
  path: string;
  line?: number;
  message: string;
}

/** The files below some folders of a tree whose names match, as paths with forward slashes, in a stable order. */
export function listFiles(root: string, folders: string[], pattern: RegExp): string[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => pattern.test(path))
    .sort();
}

export function readSource(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The number of the line, from 1, that holds a position of a text. */
export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}

export function isTest(path: string): boolean {
  return /^(packages\/[^/]+\/)?test\//.test(path) || /\.(test|spec)\.tsx?$/.test(path);
}
