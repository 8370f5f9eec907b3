// npm run screenshots: every screen and state at three widths in both themes, into screenshots/, and the picture in the
// README. `npm run screenshots -- checkout` makes those of one file.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { say } from './lib/console.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findPinnedNode, repositoryRoot, toolScript } from './lib/paths.mjs';

await ensureInstalled();
await ensureWebBuilt();
const filters = process.argv.slice(2);
if (filters.length === 0) rmSync(join(repositoryRoot, 'screenshots'), { recursive: true, force: true });

const env = { ...process.env, CHROMIUM_PATH: await ensureChromium() };
const run = (...args) => spawnSync(findPinnedNode(), args, { cwd: repositoryRoot, env, stdio: 'inherit' }).status ?? 1;

const playwright = toolScript('@playwright/test/cli.js');
process.exitCode =
  run(playwright, 'test', '--config', 'screenshots.config.ts', ...filters) ||
  run('test/screenshots/make-contact-sheets.ts');
if (process.exitCode === 0) say('See screenshots/, and all of one kind at a glance in screenshots/sheets/.');
