import { describe, expect, it, vi } from 'vitest';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { createEmptyDatabase } from '../database.ts';
import { query } from '../setup/kedai-processes.ts';
import { createShopper } from '../shopper.ts';
import { FAULT_TEST_LIMIT, openFaultWorld } from './fault-world.ts';
import { startPooler } from './pooler.ts';

const BUYERS = 65;

describe('behind PgBouncer in transaction mode', FAULT_TEST_LIMIT, () => {
  it('two processes sell to 65 concurrent buyers and send every mail', async () => {
    await using world = await openFaultWorld();
    await using pooler = await startPooler(world.databaseUrl);
    const settings = { DATABASE_URL: pooler.connectionString, DATABASE_PREPARED: 'off' };
    const shops = await Promise.all([world.start({ settings }), world.start({ settings })]);
    const product = await world.makeProduct({ items: BUYERS });
    const cart = [{ product, quantity: 1 }];
    const answers = await Promise.all(
      Array.from({ length: BUYERS }, async (_, n) => {
        const buyer = createShopper(n % 2 === 0 ? shops[0].url : shops[1].url);
        const guest = { email: `pooled-${n}@example.com`, password: `password-of-${n}` };
        return (await buyer.authorise(cart, guest)).place();
      }),
    );
    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    await world.rest();
    const mails = () => world.db.selectFrom('mails').select('sent_at').execute();
    await vi.waitFor(
      async () => {
        const sent = (await mails()).filter(({ sent_at }) => sent_at !== null);
        expect(sent).toHaveLength(BUYERS);
      },
      { timeout: 60_000, interval: 50 },
    );
    expect(await world.violations()).toEqual([]);
  });

  it('processes that start together migrate an empty database one at a time', async () => {
    const database = await createEmptyDatabase();
    try {
      await using pooler = await startPooler(database.connectionString);
      await Promise.all([1, 2, 3].map(() => migrate(pooler.connectionString)));
      const names = await query(database.connectionString, 'SELECT name FROM schema_migrations');
      expect(names).toContainEqual({ name: '0001_shop.sql' });
      // No lock is left on a connection of the server.
      const locked = `SELECT FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      expect(await query(database.connectionString, locked)).toEqual([]);
    } finally {
      await database.drop();
    }
  });
});
