// npm run dev: the server, started again at every change, and Vite in front of it with the pages as they are edited.

import { spawn } from 'node:child_process';
import { ensureInstalled } from './lib/install.mjs';
import { findPinnedNode, repositoryRoot, toolScript } from './lib/paths.mjs';
import { forwardSignalsTo } from './lib/run.mjs';
import { runServer } from './lib/run-server.mjs';

await ensureInstalled();

const port = process.env.PORT ?? '3000';
const vite = spawn(findPinnedNode(), [toolScript('vite/bin/vite.js'), '--clearScreen', 'false'], {
  cwd: repositoryRoot,
  env: { ...process.env, API_URL: `http://127.0.0.1:${port}` },
  stdio: 'inherit',
});
forwardSignalsTo(vite);
process.on('exit', () => vite.kill());

const env = { ...process.env, PORT: port };
let viteCode;
vite.on('exit', (code) => {
  viteCode = code ?? 1;
  // Without Vite there are no pages, so the server ends, too.
  process.kill(process.pid, 'SIGTERM');
});
const code = await runServer({ nodeOptions: ['--watch', '--watch-preserve-output'], env, startAgain: false });
process.exit(viteCode ?? code);
