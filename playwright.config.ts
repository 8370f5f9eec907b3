import { defineConfig } from '@playwright/test';

// Chromium has no sandbox for root, and none of its background traffic is wanted anywhere.
const runsAsRoot = process.getuid?.() === 0;
const chromiumArguments = [
  ...(runsAsRoot ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Else a visit to another page of the shop may start a process, which compiles the shop again: an eighth of the whole work.
  '--renderer-process-limit=1',
  // A page lives for seconds: to optimize its code takes longer than the optimized code saves.
  '--js-flags=--no-maglev --no-turbofan',
  // The first four are Playwright's own, which a second switch of that name would replace. The last two keep pictures below the
  // window from being loaded before one scrolls there: on home they were a quarter of the work.
  `--blink-settings=${[
    'primaryHoverType=2',
    'availableHoverTypes=2',
    'primaryPointerType=4',
    'availablePointerTypes=4',
    'lazyLoadingImageMarginPx4G=0',
    'lazyLoadingImageMarginPxUnknown=0',
  ]}`,
];

// `npm test` finds or installs the browser (scripts/lib/programs.mjs). Specs start their own shop (test/e2e/fixtures.ts).
const executablePath = process.env['CHROMIUM_PATH'];

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: '.cache/playwright',
  forbidOnly: true,
  fullyParallel: true,
  // Three keep two cores busy.
  workers: 3,
  // Landings are tested on a machine shared with others, where one lost test of hundreds must not refuse one; scripts/test.mjs
  // names it all the same.
  retries: process.env['CI'] ? 1 : 0,
  // They end what hangs; the same machine can be several times slower than its owner's.
  timeout: 150_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ['json', { outputFile: '.cache/playwright.json' }]],
  use: {
    browserName: 'chromium',
    launchOptions: { args: chromiumArguments, ...(executablePath && { executablePath }) },
    screenshot: 'only-on-failure',
    // A trace of every test would cost more than the tests themselves.
    trace: 'off',
  },
});
