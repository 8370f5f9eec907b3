import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../processes.ts';
import { isStoppedCleanly, statusOf } from './kedai-launcher.ts';
import { end, makeDataDir } from './kedai-processes.ts';

test('npm run dev stops the server and exits when Vite exits', async () => {
  const { PATH, HOME, TMPDIR } = process.env;
  const [dataDir, port] = [makeDataDir(), await freePort()];
  const program = fileURLToPath(new URL('../../scripts/dev.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { PATH, HOME, TMPDIR, PORT: String(port), DATA_DIR: dataDir, DEMO: 'off' },
    stdio: 'ignore',
  });
  onTestFinished(async () => void (await end(child, 'SIGTERM')));
  await vi.waitFor(() => statusOf(`http://localhost:${port}`), { timeout: 100_000, interval: 100 });
  const ended = once(child, 'exit');
  await promisify(execFile)('pkill', ['--parent', String(child.pid), '--full', 'vite.js']);
  // Vite's own, after SIGTERM.
  expect((await ended)[0]).toBe(143);
  expect(isStoppedCleanly(dataDir)).toBe(true);
}, 120_000);
