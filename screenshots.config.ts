import { defineConfig } from '@playwright/test';
import base from './playwright.config.ts';

// `npm run screenshots`: no tests, but made of their parts.
export default defineConfig(base, {
  testDir: 'test/screenshots',
  testMatch: '*.shots.ts',
  outputDir: '.cache/screenshots',
  timeout: 180_000,
  reporter: 'line',
  use: { trace: 'off', screenshot: 'off' },
});
