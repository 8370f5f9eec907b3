import { setTimeout as wait } from 'node:timers/promises';
import type { Diary } from '../soak/shoppers.ts';
import type { SupervisedShop } from '../soak/supervised-shop.ts';
import { TTL_SECONDS } from './cluster.ts';
import type { DrillWorld } from './drill-world.ts';
import { restoreBeside } from './restore-beside.ts';

const MARGIN_SECONDS = 10;
/** How long a machine stands still or is cut off: longer than it can keep the role of the primary. */
const AWAY_MS = (TTL_SECONDS + 15) * 1_000;
const ORCHESTRATOR_MS = 2_000;

export interface Trial {
  name: string;
  /** The longest time without a sale, in seconds. */
  limit: number;
  /** Whether no request may fail. */
  unnoticed?: boolean;
  happen(world: DrillWorld, notes: { diary: Diary; say: (line: string) => void }): Promise<unknown>;
}

export const trials: Trial[] = [
  {
    name: 'a process of the shop is killed',
    limit: MARGIN_SECONDS,
    happen: async ({ shops: [shop] }) => {
      await shop.end('SIGKILL');
      await wait(ORCHESTRATOR_MS);
      await shop.start();
    },
  },
  {
    name: 'both processes are rolled over',
    limit: MARGIN_SECONDS,
    unnoticed: true,
    happen: async ({ shops }) => {
      for (const shop of shops) await rollOver(shop);
    },
  },
  { name: 'the pooler is restarted', limit: MARGIN_SECONDS, happen: ({ front }) => front.pooler.restart() },
  {
    name: 'the primary is killed',
    limit: MARGIN_SECONDS,
    happen: async ({ cluster }) => (await cluster.primary()).killDatabase(),
  },
  {
    name: 'the machine of the primary is lost',
    limit: TTL_SECONDS + MARGIN_SECONDS,
    happen: async ({ cluster }) => {
      const primary = await cluster.primary();
      primary.kill();
      await wait(AWAY_MS);
      primary.start();
    },
  },
  {
    name: 'the primary stands still',
    limit: TTL_SECONDS + MARGIN_SECONDS,
    happen: async ({ cluster }) => {
      const primary = await cluster.primary();
      primary.freeze();
      await wait(AWAY_MS);
      primary.thaw();
    },
  },
  {
    name: 'the primary is cut off from everybody',
    limit: TTL_SECONDS + MARGIN_SECONDS,
    happen: async ({ cluster }) => {
      const primary = await cluster.primary();
      primary.cutOff();
      await wait(AWAY_MS);
      primary.reconnect();
    },
  },
  {
    name: 'the disk of the primary is full',
    // Patroni keeps the primary when its disk is full.
    limit: AWAY_MS / 1_000 + MARGIN_SECONDS,
    happen: async ({ cluster }) => {
      const { disk } = await cluster.primary();
      disk.fill();
      await wait(AWAY_MS);
      disk.makeSpace();
    },
  },
  { name: 'a backup is restored beside it', limit: MARGIN_SECONDS, happen: restoreBeside },
];

async function rollOver(shop: SupervisedShop): Promise<void> {
  await shop.end('SIGTERM');
  await shop.start();
  // Wait until the proxy has noticed the new process.
  await wait(ORCHESTRATOR_MS);
}
