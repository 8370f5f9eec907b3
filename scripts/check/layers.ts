import { posix } from 'node:path';
import { type Finding, isTest, lineAt, listFiles, readSource } from './source-files.ts';

interface Layer {
  name: string;
  /** The first group is the name of the feature or package. */
  files: RegExp;
  /** The other layers that it may import; `(type)` allows only `import type`. */
  may: string[];
  /** The packages that it may import; any, if undefined. */
  packages?: RegExp;
}

interface Import {
  path: string;
  line: number;
  specifier: string;
  /** The imported file; undefined for a package. */
  target: string | undefined;
  typeOnly: boolean;
}

/** The first entry that matches a file is its layer. */
const layers: Layer[] = [
  // A package imports nothing of the shop, which imports the package by its name.
  { name: 'package', files: /^packages\/([^/]+)\//, may: [], packages: /^(node:.*|stripe|uuid|vitest)$/ },

  { name: 'shared', files: /^src\/shared\//, may: [], packages: /^zod(\/|$)/ },

  { name: 'web ui', files: /^src\/web\/ui\//, may: [] },
  { name: 'web lib', files: /^src\/web\/lib\//, may: ['shared'] },
  { name: 'web state', files: /^src\/web\/state\//, may: ['web lib', 'shared'] },
  { name: 'web feature', files: /^src\/web\/features\/([^/]+)/, may: ['web ui', 'web state', 'web lib', 'shared'] },
  { name: 'web routes', files: /^src\/web\/[^/]+$/, may: ['web feature', 'web ui', 'web state', 'web lib', 'shared'] },

  { name: 'platform', files: /^src\/server\/platform\//, may: ['shared'] },
  { name: 'config', files: /^src\/server\/config(-[a-z-]+)?\.ts$/, may: ['platform', 'shared'] },
  { name: 'deps', files: /^src\/server\/deps\.ts$/, may: ['config (type)', 'platform (type)', 'shared (type)'] },
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
    may: ['demo', 'server feature', 'deps (type)', 'config (type)', 'platform', 'shared'],
  },
  {
    name: 'main',
    files: /^src\/server\/[^/]+$/,
    may: ['app', 'demo', 'server feature', 'deps (type)', 'config', 'platform', 'shared'],
  },
];

const importPattern =
  /^\s*(?:import|export)\s(?<type>type\s)?[^'";]*?\bfrom\s+['"](?<from>[^'"]+)['"]|^\s*import\s+['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

/** Finds imports that the layers do not allow. The shop's tests may import anything. */
export function checkLayers(root: string): Finding[] {
  const imports = listFiles(root, ['packages', 'src'], /\.tsx?$/)
    .filter((path) => !isTest(path) || path.startsWith('packages/'))
    .flatMap((path) => importsOf(path, readSource(root, path)));
  return [...imports.flatMap(refusalOf), ...circlesOfFeatures(imports)];
}

function importsOf(path: string, source: string): Import[] {
  return [...source.matchAll(importPattern)].map((match) => {
    const { type, from, bare, dynamic } = match.groups ?? {};
    const specifier = (from ?? bare ?? dynamic ?? '').replace(/\?.*$/, '');
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
    const line = lineAt(source, match.index + match[0].search(/\S/));
    return { path, line, specifier, target, typeOnly: type !== undefined };
  });
}

const layerOf = (path: string) => layers.find(({ files }) => files.test(path));

/** The name of a file's feature, e.g. `checkout`; undefined outside of the features. */
const featureOf = (path: string) => layerOf(path)?.files.exec(path)?.[1];

const isRoutes = (path: string) => path.endsWith('.routes.ts');

function refusalOf(found: Import): Finding[] {
  const message = refusal(found);
  return message === undefined ? [] : [{ path: found.path, line: found.line, message }];
}

function refusal({ path, specifier, target, typeOnly }: Import): string | undefined {
  const from = layerOf(path);
  if (from === undefined) return 'this file belongs to no layer of the house';
  if (target === undefined) {
    const allowed = from.packages?.test(specifier) ?? true;
    return allowed ? undefined : `${from.name} may not import the package ${specifier}`;
  }
  const to = layerOf(target);
  if (to === undefined) return `the shop may not import ${target}`;
  if (from !== to) return refusalBetweenLayers(from, to, target, typeOnly);
  if (featureOf(path) === featureOf(target)) return undefined;
  if (from.name === 'web feature' || from.name === 'package') return `a ${from.name} may not import another: ${target}`;
  return isRoutes(target) ? `a feature may not import another's routes: ${target}` : undefined;
}

function refusalBetweenLayers(from: Layer, to: Layer, target: string, typeOnly: boolean): string | undefined {
  if (isRoutes(target) && from.name !== 'app') return `only app.ts may import routes: ${target}`;
  if (from.may.includes(to.name)) return undefined;
  if (!from.may.includes(`${to.name} (type)`)) return `${from.name} may not import ${to.name}: ${target}`;
  return typeOnly ? undefined : `${from.name} may import ${to.name} only with "import type": ${target}`;
}

/** Server features that import each other should be one feature. Reports each pair once, at an import of the cycle. */
function circlesOfFeatures(imports: Import[]): Finding[] {
  const steps = imports.flatMap(({ path, line, target }) => {
    const [from, to] = [featureOf(path), featureOf(target ?? '')];
    return from && to && from !== to && path.startsWith('src/server/') ? [{ path, line, from, to }] : [];
  });
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return steps.some((step) => step.from === from && reaches(step.to, to, seen));
  };
  const circles = steps.filter(({ from, to }) => reaches(to, from));
  const firstOfPair = circles.filter(
    (circle, index) => index === circles.findIndex(({ from, to }) => from === circle.from && to === circle.to),
  );
  return firstOfPair.map(({ path, line, from, to }) => ({
    path,
    line,
    message: `the features ${from} and ${to} import each other, perhaps through a third`,
  }));
}
