import type { AlertKind } from '../../../shared/admin.ts';
import type { Deps } from '../../deps.ts';
import { insertAlert } from './alerts.queries.ts';

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
