import { v7 as uuidv7 } from 'uuid';
import type { AlertKind } from '../../../shared/admin.ts';
import type { Deps } from '../../deps.ts';
import { type Database, rowOf } from '../../platform/database/open-database.ts';
import type { AlertRow } from '../../platform/database/tables.ts';

const MOST_LISTED = 50;

type Subject = Pick<AlertRow, 'kind' | 'subject'>;

/** False when there was one of this kind about this subject, open or ended. */
export async function insertAlert(db: Database, alert: Subject & Pick<AlertRow, 'order_id'>, now: Date) {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('alerts')
    .values({ id: uuidv7(), ...alert, raised_at: now })
    .onConflict((conflict) => conflict.columns(['kind', 'subject']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function hasAlert(db: Database, about: Subject): Promise<boolean> {
  const alerts = db.selectFrom('alerts').select('id');
  return (await alerts.where((eb) => eb.and(about)).executeTakeFirst()) !== undefined;
}

/** Newest first. */
export const listOpenAlerts = (db: Database, kind?: AlertRow['kind']): Promise<AlertRow[]> =>
  db
    .selectFrom('alerts')
    .selectAll()
    .where((eb) => eb.and({ ended_at: null, ...(kind && { kind }) }))
    .orderBy('raised_at', 'desc')
    .limit(MOST_LISTED)
    .execute();

/** Answers the alert; undefined when there is none, or when it has ended. */
export function endAlert(db: Database, which: { id: string } | Subject, now: Date, reason: string | null = null) {
  const alert = db.updateTable('alerts').set({ ended_at: now, end_reason: reason }).where('ended_at', 'is', null);
  // By named conditions: a filter object leaves out what is undefined, and would then end every alert.
  const named =
    'id' in which
      ? alert.where('id', '=', which.id)
      : alert.where('kind', '=', which.kind).where('subject', '=', which.subject);
  return named.returningAll().executeTakeFirst();
}

/** The shop's id in the metadata of its payments, and since when payments have it. */
export const getShopIdentity = (db: Database) => rowOf<{ id: string; since: Date }>(db)`
  SELECT value AS id, (SELECT value::timestamptz FROM shop_facts WHERE name = 'shop-id-since') AS since
  FROM shop_facts WHERE name = 'shop-id'`;

/**
 * Asks staff to act, in the log and on the dashboard: once for each kind and subject, also after the alert was acknowledged.
 * `logged` may hold ids only.
 */
export async function raiseAlert(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  alert: { kind: AlertKind; subject: string; orderId?: string; message: string; logged?: object },
): Promise<void> {
  const { kind, subject, orderId, message, logged } = alert;
  if (!(await insertAlert(deps.db, { kind, subject, order_id: orderId ?? null }, deps.clock.now()))) return;
  deps.log.error({ alert: kind, subject, ...(orderId !== undefined && { orderId }), ...logged }, message);
}
