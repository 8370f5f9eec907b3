import { checkFiles } from './check/files.mjs';
import { checkLayers } from './check/layers.mjs';
import { checkPackages } from './check/packages.mjs';
import { say, secondsSince } from './lib/console.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findPinnedNode, repositoryRoot, toolScript } from './lib/paths.mjs';
import { runQuietly } from './lib/run.mjs';

await ensureInstalled();

const startedAt = Date.now();
const results = await Promise.all([
  tool('types', 'typescript/bin/tsc', ['--build', '--pretty', 'false']),
  tool('format and lint', '@biomejs/biome/bin/biome', [
    'ci',
    '--colors=off',
    '--error-on-warnings',
    '--max-diagnostics=none',
  ]),
  tool('unused code', 'knip/bin/knip.js', ['--no-progress', '--treat-config-hints-as-errors']),
  rule('layers', checkLayers),
  rule('files', checkFiles),
  rule('packages', checkPackages),
]);

const failed = results.filter(({ passed }) => !passed);
for (const { name, details } of failed) say(`\n== ${name}\n\n${details.trim()}`);
if (failed.length > 0) {
  say(
    `\nFailed: ${failed.map(({ name }) => name).join(', ')}. "npx biome check --write" repairs format and imports.`,
  );
}
if (failed.length === 0) say(`All checks passed in ${secondsSince(startedAt)}.`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** A check made by a command-line tool of a package, which tells its findings itself. */
async function tool(name, script, args) {
  const began = Date.now();
  const { code, output } = await runQuietly(findPinnedNode(), [toolScript(script), ...args]);
  say(`${code === 0 ? 'ok    ' : 'failed'} ${name} (${secondsSince(began)})`);
  return { name, passed: code === 0, details: output };
}

/** A rule of this house that no tool knows: a function of the repository's root that returns its findings. */
function rule(name, check) {
  const findings = check(repositoryRoot);
  say(`${findings.length === 0 ? 'ok    ' : 'failed'} ${name}`);
  const details = findings.map(({ path, line, message }) => `${path}${line ? `:${line}` : ''} ${message}`);
  return { name, passed: findings.length === 0, details: details.join('\n') };
}
