import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Those are for Playwright.
    exclude: [...configDefaults.exclude, 'test/e2e/**'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism()),
    // Node runs the server's TypeScript by itself, so the tests run it the same way.
    experimental: { viteModuleRunner: false },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
