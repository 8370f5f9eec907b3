import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Contents by path. */
export type Files = Record<string, string>;

export interface ScratchTree {
  root: string;
  remove: () => void;
}

/** Creates a folder below `parent` in which a test can break rules; `copies` are paths of the repository. */
export function makeScratchTree(parent: string, files: Files, copies: string[] = []): ScratchTree {
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, 'kedai-house-'));
  for (const path of copies) cpSync(join(repositoryRoot, path), join(root, path), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
