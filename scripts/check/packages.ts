import { type Finding, readSource } from './source-files.ts';

interface LockFile {
  /** A link is a package of this repository. */
  packages: Record<string, { resolved?: string; link?: boolean }>;
}

type Dependencies = Record<string, string>;

interface Manifest {
  dependencies?: Dependencies;
  devDependencies?: Dependencies;
}

/**
 * Checks that packages are locked by name and version: with a URL in the lock file, every clone would depend on one
 * registry host.
 */
export function checkPackages(root: string): Finding[] {
  const lock: LockFile = JSON.parse(readSource(root, 'package-lock.json'));
  const manifest: Manifest = JSON.parse(readSource(root, 'package.json'));
  return [...lockedToAHost(lock), ...notByVersion(manifest), ...nodeNotPinned(manifest)];
}

function lockedToAHost(lock: LockFile): Finding[] {
  return Object.entries(lock.packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && !link)
    .map(([name, { resolved }]) => ({
      path: 'package-lock.json',
      message: `${name} is locked to ${resolved}; write the lock file with the settings of .npmrc`,
    }));
}

function notByVersion({ dependencies, devDependencies }: Manifest): Finding[] {
  return Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !/^[~^]?\d/.test(version))
    .map(([name, version]) => ({ path: 'package.json', message: `${name} must be a version, not "${version}"` }));
}

function nodeNotPinned({ devDependencies }: Manifest): Finding[] {
  const node = devDependencies?.['node'] ?? '';
  if (/^\d+\.\d+\.\d+$/.test(node)) return [];
  return [{ path: 'package.json', message: `node must be one exact version, not "${node}"` }];
}
