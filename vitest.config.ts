import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node';

/** The files that take longest, whatever their size. */
const LONGEST = [
  'crash',
  'interleavings-digital',
  'held-back',
  'interleavings-physical',
  'events',
  'migration-history',
].map((name) => `/${name}.test.ts`);

/**
 * Starts the longest files first, so that none of them runs alone at the end. Vitest by itself knows how long a file takes only
 * after a run on the same machine, and else starts the small files last. Vitest calls it with `new`.
 */
function longestFirst(vitest: Vitest): BaseSequencer {
  const sequencer = new BaseSequencer(vitest);
  const bySize = sequencer.sort.bind(sequencer);
  const rank = ({ moduleId }: TestSpecification) => {
    const place = LONGEST.findIndex((end) => moduleId.endsWith(end));
    return place === -1 ? LONGEST.length : place;
  };
  return Object.assign(sequencer, {
    sort: async (files: TestSpecification[]) => (await bySize(files)).toSorted((a, b) => rank(a) - rank(b)),
  });
}

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'src/**/*.test.ts', 'test/**/*.test.ts'],
    // Those are for Playwright.
    exclude: [...configDefaults.exclude, 'test/e2e/**'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    sequence: { sequencer: longestFirst as unknown as typeof BaseSequencer },
    // Most tests wait for processes and timers, so two cores serve four files at a time.
    maxWorkers: Math.max(4, availableParallelism()),
    // Node runs the server's TypeScript by itself, so the tests run it the same way; no module is mocked.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A worker loads the shop's thousand modules once, not for every file. Files share no state all the same: the server
    // keeps its state in its Deps, and every file has a database of its own.
    isolate: false,
    // For the processes that tests start; to compile the sources is half of such a start.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/node', import.meta.url)) },
    // These end what hangs; a machine that is shared with others can be several times slower than its owner's.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    // As in playwright.config.ts: what needed a second try is named by npm test.
    retry: process.env['CI'] ? 1 : 0,
  },
});
