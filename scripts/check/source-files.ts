import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A violation of a rule, with its line where there is one. */
export interface Finding {
  path: string;
  line?: number;
  message: string;
}

/** The matching files in the folders, sorted, as paths with forward slashes. */
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

/** The line number, from 1, of a position in a text. */
export function lineAt(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}

export function isTest(path: string): boolean {
  return /^(packages\/[^/]+\/)?test\//.test(path) || /\.(test|spec)\.tsx?$/.test(path);
}
