import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Those are for Playwright.
    exclude: [...configDefaults.exclude, 'test/e2e/**'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    // Most tests wait for processes and timers, so two cores serve three files at a time.
    maxWorkers: Math.max(3, availableParallelism()),
    // Node runs the server's TypeScript by itself, so the tests run it the same way.
    experimental: { viteModuleRunner: false },
    // Ends what hangs; a machine that is shared with others can be several times slower than its owner's.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    // As in playwright.config.ts: what needed a second try is named by npm test.
    retry: process.env['CI'] ? 1 : 0,
  },
});
