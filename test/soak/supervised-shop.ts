import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../processes.ts';
import { skewedEnvironment } from '../skewed-environment.ts';

const START_LIMIT_MS = 120_000;

export interface SupervisedShop {
  url: string;
  child: ChildProcess | undefined;
  /** Starts the process and waits until it answers. `log` is the file for its output, such as /dev/full. */
  start(options?: { log?: string; clock?: string }): Promise<void>;
  /** Sends the signal and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Prepares a process of the shop on a port of its own. If it ends by itself, `onEnd` is called and it is started again.
 */
export async function openShop(
  name: string,
  env: Record<string, string>,
  { dataDir, onEnd }: { dataDir: string; onEnd: (what: string) => void },
): Promise<SupervisedShop> {
  const port = await freePort();
  const shop: SupervisedShop = {
    url: `http://127.0.0.1:${port}`,
    child: undefined,
    start: async ({ log = join(dataDir, `${name}.log`), clock } = {}) => {
      const output = openSync(log, 'a');
      const skew = clock ? await skewedEnvironment(clock) : {};
      const child = spawn(process.execPath, ['src/server/main.ts'], {
        stdio: ['ignore', output, output, 'ipc'],
        env: { ...env, ...skew, PORT: String(port) },
      });
      shop.child = child;
      child.once('exit', (code, signal) => {
        if (shop.child !== child) return;
        onEnd(`process ${name} ended by itself with ${code ?? signal}:\n${lastLines(join(dataDir, `${name}.log`))}`);
        void shop.start().catch((error: unknown) => onEnd(String(error)));
      });
      await untilItAnswers(shop, child);
    },
    end: async (signal) => {
      const { child } = shop;
      shop.child = undefined;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
  return shop;
}

const lastLines = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-3).join('\n');

async function untilItAnswers({ url }: SupervisedShop, child: ChildProcess): Promise<void> {
  const limit = Date.now() + START_LIMIT_MS;
  while (Date.now() < limit) {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.ok) return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the shop ended with ${child.exitCode} at its start`);
    await wait(100);
  }
  throw new Error('the shop does not start');
}
