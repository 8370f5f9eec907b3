import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AlertKind } from '../../../shared/admin.ts';
import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { AlertRow } from '../../platform/database/tables.ts';

const MOST_LISTED = 50;

export type NewAlert = Pick<AlertRow, 'kind' | 'subject' | 'order_id'>;

/** False when there was one of this kind about this subject, open or ended. */
export async function insertAlert(db: Database, alert: NewAlert, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('alerts')
    .values({ id: uuidv7(), ...alert, raised_at: now })
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function hasAlert(db: Database, { kind, subject }: Pick<AlertRow, 'kind' | 'subject'>): Promise<boolean> {
  const found = await db
    .selectFrom('alerts')
    .select('id')
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return found !== undefined;
}

/** Newest first. */
export function listOpenAlerts(db: Database, kind?: AlertRow['kind']): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('ended_at', 'is', null)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'dispute'))
    .orderBy('raised_at', 'desc')
    .limit(MOST_LISTED)
    .execute();
}

/** Answers the alert; undefined when it is not there, or has ended before. */
export function endAlert(
  db: Database,
  { id, reason, now }: { id: string; reason: string | null; now: Date },
): Promise<AlertRow | undefined> {
  return db
    .updateTable('alerts')
    .set({ ended_at: now, end_reason: reason })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** What it was about is over. */
export async function endAlertAbout(
  db: Database,
  { kind, subject, now }: Pick<AlertRow, 'kind' | 'subject'> & { now: Date },
): Promise<void> {
  await db
    .updateTable('alerts')
    .set({ ended_at: now })
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('ended_at', 'is', null)
    .execute();
}

/** What payments bear in their metadata, and since when. */
export async function getShopIdentity(db: Database): Promise<{ id: string; since: Date }> {
  const { rows } = await sql<{ id: string; since: Date }>`
    SELECT value AS id, (SELECT value::timestamptz FROM shop_facts WHERE name = 'shop-id-since') AS since
    FROM shop_facts WHERE name = 'shop-id'`.execute(db);
  if (!rows[0]) throw new Error('The database has no shop-id in shop_facts');
  return rows[0];
}

/**
 * Asks for a person, in the log and on the dashboard: once for each subject, however often it is found, and not again after
 * it was acknowledged. `logged` may hold ids only.
 */
export async function raiseAlert(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  {
    kind,
    subject,
    orderId,
    message,
    logged,
  }: { kind: AlertKind; subject: string; orderId?: string; message: string; logged?: object },
): Promise<void> {
  const alert = { kind, subject, order_id: orderId ?? null };
  if (!(await insertAlert(deps.db, alert, deps.clock.now()))) return;
  deps.log.error({ alert: kind, subject, ...(orderId !== undefined && { orderId }), ...logged }, message);
}
