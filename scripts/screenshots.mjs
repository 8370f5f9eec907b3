// npm run screenshots: takes every screen and state at three widths in both themes, into screenshots/, and the picture
// in the README. `npm run screenshots -- checkout` takes those of one file.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureWebBuilt } from './lib/build-web.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { repositoryRoot, toolScript } from './lib/paths.mjs';
import { ensureChromium } from './lib/programs.mjs';
import { runInForeground } from './lib/run.mjs';

await ensureInstalled();
await ensureWebBuilt();
const filters = process.argv.slice(2);
if (filters.length === 0) rmSync(join(repositoryRoot, 'screenshots'), { recursive: true, force: true });

process.env.CHROMIUM_PATH = await ensureChromium();
process.exitCode =
  (await runInForeground([
    toolScript('@playwright/test/cli.js'),
    'test',
    '--config',
    'screenshots.config.ts',
    ...filters,
  ])) || (await runInForeground(['test/screenshots/make-contact-sheets.ts']));
if (process.exitCode === 0) console.log('See screenshots/, and all of one kind at a glance in screenshots/sheets/.');
