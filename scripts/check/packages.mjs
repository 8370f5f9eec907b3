import { readSource } from './source-files.mjs';

const dependencyFields = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/**
 * Packages come by name and version from whichever registry the machine uses: an address in the lock file would tie
 * every clone to one host.
 */
export function checkPackages(root) {
  const lock = JSON.parse(readSource(root, 'package-lock.json'));
  const manifest = JSON.parse(readSource(root, 'package.json'));
  return [...lockedToAHost(lock), ...notByVersion(manifest), ...notPinned(manifest)];
}

function lockedToAHost(lock) {
  return Object.entries(lock.packages)
    .filter(([, entry]) => entry.resolved !== undefined)
    .map(([name, { resolved }]) => ({
      path: 'package-lock.json',
      message: `${name} is locked to an address (${resolved}); install with the settings of .npmrc`,
    }));
}

function notByVersion(manifest) {
  return dependencyFields
    .flatMap((field) => Object.entries(manifest[field] ?? {}))
    .filter(([, version]) => !/^[~^]?\d/.test(version))
    .map(([name, version]) => ({
      path: 'package.json',
      message: `${name} must be a version, not "${version}"`,
    }));
}

function notPinned(manifest) {
  const { node } = manifest.devDependencies;
  return /^\d+\.\d+\.\d+$/.test(node)
    ? []
    : [{ path: 'package.json', message: `node must be one exact version, not "${node}"` }];
}
