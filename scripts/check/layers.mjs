import { posix } from 'node:path';
import { isTest, lineAt, listFiles, readSource } from './source-files.mjs';

/**
 * Who may import whom, from the top of the house down. The first entry whose pattern fits a file is its layer; a
 * layer may import itself and those it names. `(type)` allows `import type` only.
 */
const layers = [
  { name: 'shared', files: /^src\/shared\//, may: [], packages: /^zod(\/|$)/ },

  { name: 'web ui', files: /^src\/web\/ui\//, may: [] },
  { name: 'web lib', files: /^src\/web\/lib\//, may: ['shared'] },
  { name: 'web state', files: /^src\/web\/state\//, may: ['web lib', 'shared'] },
  {
    name: 'web feature',
    files: /^src\/web\/features\/([^/]+)/,
    may: ['web ui', 'web state', 'web lib', 'shared'],
  },
  {
    name: 'web routes',
    files: /^src\/web\//,
    may: ['web feature', 'web ui', 'web state', 'web lib', 'shared'],
  },

  { name: 'platform', files: /^src\/server\/platform\//, may: ['shared'] },
  { name: 'config', files: /^src\/server\/config(-[a-z-]+)?\.ts$/, may: ['platform', 'shared'] },
  {
    name: 'deps',
    files: /^src\/server\/deps\.ts$/,
    may: ['config (type)', 'platform (type)', 'shared (type)'],
  },
  {
    name: 'server feature',
    files: /^src\/server\/features\/([^/]+)/,
    may: ['deps (type)', 'config (type)', 'platform', 'shared'],
  },
  {
    name: 'demo',
    files: /^src\/server\/demo\//,
    may: ['server feature', 'deps (type)', 'config (type)', 'platform', 'shared'],
  },
  {
    name: 'app',
    files: /^src\/server\/app\.ts$/,
    may: ['server feature', 'deps (type)', 'config (type)', 'platform', 'shared'],
  },
  {
    name: 'main',
    files: /^src\/server\//,
    may: ['app', 'demo', 'server feature', 'deps (type)', 'config', 'platform', 'shared'],
  },
];

const importPattern =
  /^\s*(?:import|export)\s(?<type>type\s)?[^'";]*?\sfrom\s+['"](?<from>[^'"]+)['"]|^\s*import\s+['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

/** The imports in the house's own code that its layers do not allow. Tests may import what they test. */
export function checkLayers(root) {
  const imports = listFiles(root, ['src'], /\.tsx?$/)
    .filter((path) => !isTest(path))
    .flatMap((path) => importsOf(path, readSource(root, path)));
  return [...imports.flatMap(refusalOf), ...featureCycles(imports)];
}

function importsOf(path, source) {
  return [...source.matchAll(importPattern)].map((match) => {
    const { type, from, bare, dynamic } = match.groups;
    const specifier = (from ?? bare ?? dynamic).replace(/\?.*$/, '');
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
    const line = lineAt(source, match.index + match[0].search(/\S/));
    return { path, line, specifier, target, typeOnly: type !== undefined };
  });
}

const layerOf = (path) => layers.find((layer) => layer.files.test(path));
const featureOf = (path) =>
  layers.find((layer) => layer.name.endsWith('feature') && layer.files.test(path))?.files.exec(path)[1];

function refusalOf(found) {
  const message = refusal(found);
  return message === undefined ? [] : [{ path: found.path, line: found.line, message }];
}

function refusal({ path, specifier, target, typeOnly }) {
  const from = layerOf(path);
  if (from === undefined) return `${path} belongs to no layer of the house`;
  if (target === undefined) {
    return from.packages && !from.packages.test(specifier)
      ? `${from.name} may not import the package ${specifier}`
      : undefined;
  }
  const to = layerOf(target);
  if (to === undefined) return `the shop's code may not import ${target}`;
  if (from === to) return refusalBetweenFeatures(from, path, target);
  if (from.may.includes(to.name)) {
    return to.name === 'server feature' && from.name !== 'app' && target.endsWith('.routes.ts')
      ? `only app.ts may import a feature's routes: ${target}`
      : undefined;
  }
  if (from.may.includes(`${to.name} (type)`)) {
    return typeOnly ? undefined : `${from.name} may import ${to.name} only with "import type": ${target}`;
  }
  return `${from.name} may not import ${to.name}: ${target}`;
}

function refusalBetweenFeatures(layer, path, target) {
  if (featureOf(path) === featureOf(target)) return undefined;
  if (layer.name === 'web feature') return `a web feature may not import another: ${target}`;
  return target.endsWith('.routes.ts') ? `a feature may not import another's routes: ${target}` : undefined;
}

/** Features that need each other are one feature; each such circle is told once, at an import that closes it. */
function featureCycles(imports) {
  const between = imports.filter(
    ({ path, target }) =>
      isServerFeature(path) && isServerFeature(target) && featureOf(path) !== featureOf(target),
  );
  const needs = (feature) => between.filter(({ path }) => featureOf(path) === feature);
  const reaches = (from, to, seen = new Set()) =>
    from === to ||
    needs(from).some(({ target }) => {
      const next = featureOf(target);
      if (seen.has(next)) return false;
      return reaches(next, to, seen.add(next));
    });
  const told = new Set();
  return between.flatMap(({ path, line, target }) => {
    const pair = [featureOf(path), featureOf(target)];
    const name = pair.toSorted().join(' and ');
    if (told.has(name) || !reaches(pair[1], pair[0])) return [];
    told.add(name);
    return [{ path, line, message: `the features ${name} import each other in a circle: ${target}` }];
  });
}

const isServerFeature = (path) => path !== undefined && layerOf(path)?.name === 'server feature';
