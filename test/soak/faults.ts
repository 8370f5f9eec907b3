import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsGuest, type Diary, openBrowser } from './shoppers.ts';
import type { SoakWorld } from './soak-world.ts';
import type { SupervisedShop } from './supervised-shop.ts';

const STILL_MS = 8_000;

export interface Fault {
  name: string;
  happen: (world: SoakWorld, diary: Diary) => Promise<unknown>;
}

const either = ({ shops }: SoakWorld): SupervisedShop => shops[Math.floor(Math.random() * 2)] as SupervisedShop;

async function restart(shop: SupervisedShop, signal: NodeJS.Signals, options: { log?: string } = {}): Promise<void> {
  await shop.end(signal);
  await shop.start(options);
}

/** The faults happen one after the other, again and again. */
export const faults: Fault[] = [
  { name: 'a process is killed', happen: (world) => restart(either(world), 'SIGKILL') },
  {
    name: 'every database connection of the shop is cut',
    happen: ({ db }) =>
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(db),
  },
  { name: 'refunds of one order, all at once', happen: refundAllAtOnce },
  { name: 'a full disk under the log', happen: (world) => restart(either(world), 'SIGTERM', { log: '/dev/full' }) },
  {
    name: 'a process whose clock is a day ahead',
    happen: async ({ skewed }) => {
      await skewed.start({ clock: '+1d' });
      await wait(STILL_MS);
      await skewed.end('SIGTERM');
    },
  },
  {
    name: 'the database is silent',
    happen: async ({ proxy }) => {
      proxy.fallSilent();
      await wait(STILL_MS);
      proxy.recover();
    },
  },
  {
    name: 'one address holds all it can',
    happen: (world, diary) =>
      Promise.all(
        Array.from({ length: 60 }, () =>
          buyAsGuest(world, diary, { kind: 'leaves', from: '172.16.0.1', quantity: 20 }),
        ),
      ),
  },
  { name: 'the database crashes', happen: async (world) => process.kill(world.postmasterPid(), 'SIGQUIT') },
  {
    name: 'a rolling restart',
    happen: async ({ shops }) => {
      for (const shop of shops) await restart(shop, 'SIGTERM');
    },
  },
  {
    name: 'a process stands still',
    happen: async (world) => {
      const { child } = either(world);
      child?.kill('SIGSTOP');
      await wait(STILL_MS);
      child?.kill('SIGCONT');
    },
  },
  {
    name: 'the provider hangs',
    happen: ({ db }) =>
      db.transaction().execute(async (trx) => {
        await sql`LOCK TABLE test_mode_intents IN ACCESS EXCLUSIVE MODE`.execute(trx);
        await wait(STILL_MS);
      }),
  },
  {
    name: 'a flood of bad claims',
    happen: (world, diary) =>
      Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          await wait(n * 20);
          await openBrowser(world, diary).ask('a bad claim', (shopper) =>
            shopper.post('/api/auth/claim', { claimToken: `bad-${n}`.padEnd(43, 'x'), password: 'a-guest-chooses' }),
          );
        }),
      ),
  },
];

async function refundAllAtOnce(world: SoakWorld, diary: Diary): Promise<void> {
  const order = await world.db
    .selectFrom('orders')
    .innerJoin('order_lines', 'order_id', 'orders.id')
    .select(['orders.id', 'order_lines.id as line', 'quantity'])
    .where('state', '=', 'fulfilled')
    .where('quantity', '>', 1)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  if (!order) return;
  const browser = openBrowser(world, diary);
  const answer = await browser.ask('signing in', (shopper) => shopper.signIn(world.admin.email, TEST_PASSWORD));
  browser.setToken(answer?.body.token);
  const part = { lines: [{ line: order.line, quantity: 1 }] };
  await Promise.all(
    [part, part, part, {}, {}].map((wish) =>
      browser.ask('a refund', (shopper) =>
        shopper.post(`/api/admin/orders/${order.id}/refund`, { reason: 'Soak', ...wish }),
      ),
    ),
  );
}
