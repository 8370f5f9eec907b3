import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { AdminAlert, AlertKind } from '../../../../shared/admin.ts';
import { formatMoment } from '../../../../shared/dates.ts';
import { orderNumber } from '../../../../shared/order-number.ts';
import { call } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ReasonForm } from '../action-form.tsx';
import { useAdminData } from '../admin-queries.ts';
import { OverviewCard } from './overview-card.tsx';

const words: Record<AlertKind, { title: string; advice: string }> = {
  'unknown-payment': {
    title: 'Payment without an order',
    advice: 'Refund it at the payment provider, or deliver what was bought.',
  },
  'payment-mismatch': {
    title: 'Payment differs from its order',
    advice: 'Nothing was delivered for it. Compare amount and currency at the payment provider.',
  },
  'payment-not-found': {
    title: 'Payment not found at the provider',
    advice: 'The order was delivered. Look for its payment at the payment provider.',
  },
  'delivered-without-payment': {
    title: 'Delivered without a payment',
    advice: 'Look at the order and at its payment at the provider.',
  },
  'refund-failed': {
    title: 'Refund refused by the provider',
    advice: 'It is tried again every hour. You can also give it at the payment provider.',
  },
  'partial-refund': {
    title: 'Part refunded at the provider',
    advice: 'Decide which goods it was for.',
  },
  'unreadable-item': {
    title: 'Item cannot be read',
    advice: 'Its row was altered in the database. Restore it, or replace the item on its order’s page.',
  },
  dispute: {
    title: 'Payment disputed with the bank',
    advice: 'The goods were withdrawn. Answer the dispute at the payment provider.',
  },
};

/** What a person must look at; nothing while there is nothing. */
export function NeedsAttention() {
  const { data } = useAdminData(['GET /admin/alerts'], async () => (await call('GET /admin/alerts')).data);
  const [chosen, setChosen] = useState<AdminAlert | null>(null);
  if (data === undefined || data.length === 0) return null;
  const close = () => setChosen(null);
  return (
    <OverviewCard title="Needs attention">
      <ul className="grid divide-y divide-line">
        {data.map((alert) => (
          <Alert key={alert._id} alert={alert} onAcknowledge={() => setChosen(alert)} />
        ))}
      </ul>
      <Dialog isOpen={chosen !== null} onClose={close} title="Acknowledge">
        {chosen && (
          <ReasonForm
            action="Acknowledge"
            said="Acknowledged"
            fallback="This could not be acknowledged"
            send={(reason) =>
              call('POST /admin/alerts/:id/acknowledge', { params: { id: chosen._id }, body: { reason } })
            }
            onDone={close}
            onCancel={close}
            hint="For administrators only, kept in the audit log"
          >
            <p>
              <strong>{words[chosen.kind].title}</strong> is taken off the dashboard and not raised again for{' '}
              <span className="wrap-anywhere">{chosen.subject}</span>.
            </p>
          </ReasonForm>
        )}
      </Dialog>
    </OverviewCard>
  );
}

function Alert({ alert, onAcknowledge }: { alert: AdminAlert; onAcknowledge(): void }) {
  const { kind, subject, orderId, raisedAt } = alert;
  const { title, advice } = words[kind];
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <div className="flex min-w-0 flex-1 basis-72 gap-3">
        <TriangleAlert aria-hidden className="mt-0.5 size-5 shrink-0 text-danger" />
        <div className="grid min-w-0 gap-1">
          <p className="font-semibold">{title}</p>
          <p className="text-muted">{advice}</p>
          <p className="text-sm text-muted wrap-anywhere">
            <time dateTime={raisedAt}>{formatMoment(raisedAt)}</time> · {subject}
            {orderId !== null && kind !== 'unknown-payment' && (
              <>
                {' · '}
                <Link to={`/admin/orders/${orderId}`} className="font-semibold text-accent-ink underline">
                  Order #{orderNumber(orderId)}
                </Link>
              </>
            )}
          </p>
        </div>
      </div>
      <Button variant="secondary" size="sm" aria-label={`Acknowledge: ${title}`} onClick={onAcknowledge}>
        Acknowledge
      </Button>
    </li>
  );
}
