// node scripts/assemble-image.mjs FOLDER: copies what runs in the container out of the built repository.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { repositoryRoot } from './lib/paths.mjs';

const shipped = [
  'package.json',
  'LICENSE',
  'content',
  'demo',
  'dist/web',
  'scripts/commands',
  'src/server',
  'src/shared',
];
const sources = ['scripts/commands', 'src/server', 'src/shared'];

// Omits tests, and the command that runs them at Stripe.
const isShipped = (name) => !/(\.test|^test-stripe)\.ts$/.test(name);
const isDocumentation = (name) => /^(readme|changelog|history)\.md$|\.(map|d\.[mc]?ts)$/i.test(name);

const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')).packages;

/** Copies the shop and the installed packages that its server imports; `dependencies` also has those of the browser. */
export function assemble(target) {
  for (const path of shipped) copy(path, target, isShipped);
  const packages = findPackages(sources.flatMap((folder) => listImports(join(repositoryRoot, folder))));
  for (const path of packages) {
    const { link, resolved } = lock[path];
    if (link) linkWorkspace(path, resolved, target);
    // Copies only the package's own files: packages nested in it are on the list themselves.
    else copy(path, target, (name) => name !== 'node_modules' && !isDocumentation(name));
  }
  return packages;
}

function copy(path, target, isWanted) {
  const from = join(repositoryRoot, path);
  if (!existsSync(from)) throw new Error(`${path} is missing: npm run build`);
  cpSync(from, join(target, path), {
    recursive: true,
    filter: (source) => source === from || isWanted(basename(source)),
  });
}

function linkWorkspace(path, folder, target) {
  for (const part of ['package.json', 'src']) copy(join(folder, part), target, isShipped);
  mkdirSync(dirname(join(target, path)), { recursive: true });
  symlinkSync(join('../..', folder), join(target, path));
}

/** The names of the packages that the files of a folder import. */
function listImports(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && isShipped(basename(name)))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/(?:from |import |import\()'(?<id>[^'.][^']*)'/g),
    ])
    .map(({ groups }) => groups.id)
    .filter((id) => !id.startsWith('node:'))
    .map((id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/'));
}

/** Finds the paths of the installed packages with these names, and of all packages that they need. */
function findPackages(names) {
  const found = new Set();
  const waiting = names.map((name) => ({ name, from: '' }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = findInstalled(next.name, next.from);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    const { link, resolved } = lock[path];
    const from = link ? resolved : path;
    waiting.push(...neededBy(lock[from]).map((name) => ({ name, from })));
  }
  return [...found].sort();
}

function neededBy({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Returns the path where Node finds the package; undefined for an optional one of another platform. */
function findInstalled(name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = join(folder, 'node_modules', name);
    if (lock[path] && existsSync(join(repositoryRoot, path))) return path;
    if (folder === '') return undefined;
  }
}

if (process.argv[1] === import.meta.filename) {
  const [, , target] = process.argv;
  if (!target) throw new Error('Name the folder: node scripts/assemble-image.mjs FOLDER');
  console.log(`${assemble(target).length} packages in ${target}/node_modules`);
}
