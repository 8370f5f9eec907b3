import { secondsSince } from './lib/console.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findPinnedNode } from './lib/paths.mjs';
import { lastLines, runQuietly } from './lib/run.mjs';

const biome = ['ci', '--colors=off', '--error-on-warnings', '--max-diagnostics=none'];

await ensureInstalled();

const startedAt = Date.now();
const results = await Promise.all([
  check('types', 'node_modules/typescript/bin/tsc', ['--build', '--pretty', 'false']),
  check('format and lint', 'node_modules/@biomejs/biome/bin/biome', biome),
  check('house rules', 'scripts/check/house-rules.ts'),
  check('unused code', 'node_modules/knip/bin/knip.js', ['--no-progress', '--treat-config-hints-as-errors']),
  check('first load', 'scripts/check/weigh-first-load.mjs', [], (output) => `: ${lastLines(output, 1)}`),
]);

const failed = results.filter(({ passed }) => !passed);
for (const { name, output } of failed) console.log(`\n== ${name}\n\n${output.trim()}`);
if (failed.length === 0) {
  console.log(`All checks passed in ${secondsSince(startedAt)}.`);
} else {
  console.log(`\nFailed: ${failed.map(({ name }) => name).join(', ')}.`);
  console.log('"npx biome check --write" repairs format and the order of imports.');
  process.exitCode = 1;
}

/** Runs a check with the pinned Node. Its output is printed after all checks have ended, so that outputs do not mix. */
async function check(name, script, args = [], figureIn = () => '') {
  const began = Date.now();
  const { code, output } = await runQuietly(findPinnedNode(), [script, ...args]);
  console.log(`${code === 0 ? 'ok    ' : 'failed'} ${name}${figureIn(output)} (${secondsSince(began)})`);
  return { name, passed: code === 0, output };
}
