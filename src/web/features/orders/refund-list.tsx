import { Undo2 } from 'lucide-react';
import { formatMoment } from '../../../shared/dates.ts';
import type { Order } from '../../../shared/orders.ts';
import { toCents } from '../../../shared/pricing.ts';
import { cardName, type Refund, returnedItems } from '../../../shared/refunds.ts';
import { useCurrency } from '../../state/currency.tsx';

export const ITEMS_ARE_GONE = 'This order was refunded, so its items are no longer shown.';

/** All of its money has gone back, or is on its way. */
export const isWhollyRefunded = ({ status, refundStatus }: Pick<Order, 'status' | 'refundStatus'>) =>
  status === 'Cancelled' && (refundStatus === 'Refunded' || refundStatus === 'Refund pending');

/** What went back of an order, when and to which card; each refund names what was returned for it. */
export function RefundList({ refunds }: { refunds: readonly Refund[] }) {
  const { format } = useCurrency();
  if (refunds.length === 0) return null;
  return (
    <ul aria-label="Refunds" className="grid gap-2 text-sm">
      {refunds.map((refund) => {
        const { amount, state, at, card } = refund;
        const isDone = state === 'done';
        const items = returnedItems(refund);
        return (
          <li key={`${at} ${amount} ${items}`} className="flex items-start gap-2">
            <Undo2 aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
            <p className="min-w-0 wrap-anywhere">
              <strong className="tabular">{format(toCents(amount))}</strong>
              {items && ` for ${items}`} {isDone ? 'refunded' : 'is on its way back'} to {cardName(card)}
              {isDone ? ' on ' : ', since '}
              <time dateTime={at}>{formatMoment(at)}</time>
            </p>
          </li>
        );
      })}
    </ul>
  );
}
