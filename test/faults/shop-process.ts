import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CrashPoint } from '../../src/server/deps.ts';
import { bundledShop } from './bundled-shop.ts';

export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Where the tests' own entry point is, in the repository or in a copy of it. */
export const SHOP_ENTRY = 'test/faults/crashing-shop.ts';

export interface ShopProcessOptions {
  /** The process kills itself when it reaches this point, by default at the first time, else at the time `passing`. */
  crashAt?: CrashPoint;
  passing?: number;
  /** Moves the shop's clock; `database`: the shop uses the database's clock, as in production. */
  clockAheadMs?: number | 'database';
  /** More variables of its environment. */
  env?: Record<string, string>;
  /** Off: the provider's events are stored and not delivered. */
  webhooks?: 'on' | 'off';
  /** Environment variables of the shop, as an operator would set them. */
  settings?: Record<string, string>;
  /** The tree to run, when it is not this repository. */
  root?: string;
}

type Request = { do: 'pass'; milliseconds: number } | { do: 'refund' | 'refund-units'; orderId: string };
export type Command = Request & { id: number };

export interface CommandAnswer {
  id: number;
  failure?: string | undefined;
}

export interface ShopProcess {
  url: string;
  pid: number;
  /** All that it has written to its two outputs. */
  output(): string;
  /** The signal that ended it; null when it ended by itself. */
  ended: Promise<NodeJS.Signals | null>;
  /** Moves its clock forward. */
  pass(milliseconds: number): Promise<void>;
  /** Refunds a paid order, as an administrator does. Rejects when the process dies over it. */
  refund(orderId: string): Promise<void>;
  /** As an administrator would refund one unit of each of its lines. */
  refundUnits(orderId: string): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

const START_LIMIT_MS = 180_000;

// Of megabytes: by default a start clears this part of its memory so often that it takes a tenth more processor time.
const YOUNG_MEMORY = ['--min-semi-space-size=32', '--max-semi-space-size=64'];

/** Starts the shop in a process of its own and waits until it says that it listens. */
export async function startCrashingShop(
  where: { databaseUrl: string; dataDir: string },
  options: ShopProcessOptions,
): Promise<ShopProcess> {
  const { clockAheadMs = 0 } = options;
  const entry = options.root === undefined ? await bundledShop() : join(options.root, SHOP_ENTRY);
  const child = spawn(process.execPath, [...YOUNG_MEMORY, entry], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: where.databaseUrl,
      DATA_DIR: where.dataDir,
      RATE_LIMITS: 'off',
      CRASH_AT: options.crashAt,
      CRASH_AT_PASSING: String(options.passing ?? 1),
      ...(clockAheadMs !== 'database' && { CLOCK_AHEAD_MS: String(clockAheadMs) }),
      ...options.env,
      TEST_WEBHOOKS: options.webhooks ?? 'on',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...options.settings,
    },
  });
  const { stdout, stderr, pid } = child;
  if (!stdout || !stderr || pid === undefined) throw new Error('The shop process could not be started');

  let output = '';
  stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once('close', (_code, signal) => resolve(signal));
  });

  const waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  child.on('message', ({ id, failure }: CommandAnswer) => {
    if (failure === undefined) waiting.get(id)?.resolve();
    else waiting.get(id)?.reject(new Error(failure));
  });
  void ended.then((signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`The shop process ended by ${signal}`));
  });
  let commands = 0;
  const ask = (request: Request) =>
    new Promise<void>((resolve, reject) => {
      commands += 1;
      waiting.set(commands, { resolve, reject });
      child.send({ id: commands, ...request }, (error) => error && reject(error));
    });

  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const url = await new Promise<string>((resolve, reject) => {
    const limit = setTimeout(() => {
      void kill();
      reject(new Error(`The shop does not start:\n${output}`));
    }, START_LIMIT_MS);
    void ended.then(() => {
      clearTimeout(limit);
      reject(new Error(`The shop ended at its start:\n${output}`));
    });
    createInterface(stdout).on('line', (line) => {
      output += `${line}\n`;
      const [, address] = /^listening at (\S+)$/.exec(line) ?? [];
      if (address === undefined) return;
      clearTimeout(limit);
      resolve(address);
    });
  });

  return {
    url,
    pid,
    output: () => output,
    ended,
    pass: (milliseconds) => ask({ do: 'pass', milliseconds }),
    refund: (orderId) => ask({ do: 'refund', orderId }),
    refundUnits: (orderId) => ask({ do: 'refund-units', orderId }),
    kill,
  };
}
