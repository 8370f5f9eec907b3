import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { measure, type Timings } from './http-load.ts';

const KEYS = 60_000;

/**
 * Measures the smallest order transaction that is still honest: insert order and line, take one key with SKIP LOCKED,
 * insert the delivery, commit to disk. Uses a schema of its own in the shop's database, through node-postgres.
 */
export async function measureHonestOrders(
  connectionString: string,
  { workers, seconds }: { workers: number; seconds: number },
): Promise<Timings> {
  const pool = new pg.Pool({ connectionString, max: workers });
  try {
    await pool.query(`
      DROP SCHEMA IF EXISTS bench CASCADE;
      CREATE SCHEMA bench;
      CREATE TABLE bench.orders (id uuid PRIMARY KEY, email text NOT NULL, total_cents integer NOT NULL, created_at timestamptz NOT NULL);
      CREATE TABLE bench.order_lines (id uuid PRIMARY KEY, order_id uuid NOT NULL REFERENCES bench.orders, quantity integer NOT NULL);
      CREATE TABLE bench.keys (id bigint PRIMARY KEY, content bytea NOT NULL, taken_by uuid REFERENCES bench.order_lines);
      CREATE INDEX ON bench.keys (id) WHERE taken_by IS NULL;
      CREATE TABLE bench.deliveries (key_id bigint PRIMARY KEY REFERENCES bench.keys, order_id uuid NOT NULL REFERENCES bench.orders, at timestamptz NOT NULL);
      INSERT INTO bench.keys SELECT n, decode(md5(n::text), 'hex') FROM generate_series(1, ${KEYS}) AS n;`);
    await pool.query('ANALYZE bench.keys');
    return await measure({ workers, seconds }, () => order(pool));
  } finally {
    await pool.query('DROP SCHEMA IF EXISTS bench CASCADE');
    await pool.end();
  }
}

async function order(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    const [orderId, lineId] = [randomUUID(), randomUUID()];
    await client.query('BEGIN');
    await client.query('INSERT INTO bench.orders VALUES ($1, $2, $3, now())', [orderId, 'a@example.com', 1060]);
    await client.query('INSERT INTO bench.order_lines VALUES ($1, $2, 1)', [lineId, orderId]);
    const { rows } = await client.query<{ id: string }>(
      `UPDATE bench.keys SET taken_by = $1 WHERE id = (
         SELECT id FROM bench.keys WHERE taken_by IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`,
      [lineId],
    );
    await client.query('INSERT INTO bench.deliveries VALUES ($1, $2, now())', [rows[0]?.id, orderId]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
