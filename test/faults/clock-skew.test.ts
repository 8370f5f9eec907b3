import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { skewedEnvironment } from '../skewed-environment.ts';
import { FAULT_TEST_LIMIT, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { newPurchase } from './purchase.ts';

/** Makes the order due and waits until a sweeper has taken it. */
async function sweptAgain(world: FaultWorld, orderId: string): Promise<void> {
  await sql`UPDATE orders SET sweep_at = '2020-01-01' WHERE id = ${orderId}`.execute(world.db);
  const isTaken = async () => {
    const { rows } = await sql`
      SELECT FROM orders WHERE id = ${orderId} AND sweep_at IS DISTINCT FROM '2020-01-01'`.execute(world.db);
    expect(rows).toHaveLength(1);
  };
  await vi.waitFor(isTaken, { timeout: 60_000, interval: 50 });
}

const alertsOf = (output: string) => output.split('\n').filter((line) => line.includes('"alert":"clock-skew"'));

it(
  'a process whose clock is a day ahead does not cancel a running checkout, and shares sessions',
  FAULT_TEST_LIMIT,
  async () => {
    const aDayAhead = await skewedEnvironment('+1d');
    await using world = await openFaultWorld();
    const [right, ahead] = await Promise.all([
      world.start({ clockAheadMs: 'database' }),
      world.start({ clockAheadMs: 'database', env: aDayAhead }),
    ]);

    const { email } = await world.makeUser();
    for (const [here, there] of [
      [right, ahead],
      [ahead, right],
    ] as const) {
      const signIn = await createShopper(here.url).signIn(email, TEST_PASSWORD);
      const elsewhere = createShopper(there.url);
      elsewhere.setToken(signIn.body.token);
      expect((await elsewhere.get('/api/auth/me')).status).toBe(200);
    }

    const purchase = await newPurchase(world, right.url);
    expect((await purchase.open()).status).toBe(200);
    await right.kill();
    // A second sweep of the order begins only when the result of the first is written.
    await sweptAgain(world, purchase.orderId);
    await sweptAgain(world, purchase.orderId);
    purchase.moveTo(ahead.url);
    await purchase.confirmCard();
    expect((await purchase.place()).status).toBe(201);

    await world.rest();
    expect(await world.violations()).toEqual([]);
    expect([alertsOf(right.output()), alertsOf(ahead.output())]).toEqual([
      [],
      [expect.stringContaining('"skewMs":86')],
    ]);
  },
);
