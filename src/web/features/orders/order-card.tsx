import { KeyRound, type LucideIcon, MapPin, Undo2, UserRound, Zap } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { Link } from 'react-router';
import { formatPrice } from '../../../shared/currency.ts';
import {
  cardName,
  formatAddress,
  OPENING_ENDS_RETURN,
  orderNumber,
  plural,
  unitsInWords,
} from '../../../shared/format.ts';
import type { Order, Refund } from '../../../shared/orders.ts';
import { toCents } from '../../../shared/pricing.ts';
import { Moment } from '../../lib/moment.tsx';
import { useCurrency } from '../../state/shop.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/display.tsx';
import { OrderStatusBadges, PaidBadge } from '../../ui/order-parts.tsx';
import { OrderLines, OrderParcels, OrderTotals } from './order-lines.tsx';

export function OrderCard({ order }: { order: Order }) {
  const { format } = useCurrency();
  const number = orderNumber(order._id);
  const headingId = `order-${order._id}`;
  return (
    <Card role="article" aria-labelledby={headingId} className="grid grid-cols-1 gap-5 p-5 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid gap-1">
          <div className="flex flex-wrap items-center gap-3">
            <h2 id={headingId} className="tabular text-lg">
              <Link
                to={`/orders/${order._id}`}
                className="-my-2.5 inline-block py-2.5 underline decoration-line underline-offset-4 hover:decoration-current">
                Order #{number}
              </Link>
            </h2>
            <OrderStatusBadges order={order} />
          </div>
          <Moment at={order.createdAt} className="text-sm text-muted" />
        </div>
        <p className="tabular text-xl font-bold">
          <span className="sr-only">Total </span>
          {format(toCents(order.totalPrice))}
        </p>
      </div>

      <div className="flex flex-wrap items-center justify-between gap-4 rounded-md bg-sunken px-4 py-3 text-sm">
        <div className="grid gap-1.5">
          <OrderTarget order={order} />
          <p className="flex items-center gap-2">
            <span className="text-muted">Payment:</span> {order.paymentMethod}
            <PaidBadge isPaid={order.isPaid} />
          </p>
        </div>
        {order.hasItems && (
          <div className="grid gap-1.5 max-sm:w-full sm:justify-items-end">
            <ButtonLink icon={KeyRound} to={`/order-items/${order._id}`} className="max-sm:w-full">
              View Items<span className="sr-only"> of order {number}</span>
            </ButtonLink>
            {!isWhollyRefunded(order) && !hasNothingToOpen(order) && (
              <p className="text-xs text-muted max-sm:text-center">{OPENING_ENDS_RETURN}</p>
            )}
          </div>
        )}
      </div>

      <OrderParcels parcels={order.parcels} />

      <RefundList refunds={order.refunds} />

      <OrderLines order={order} />
      <OrderTotals order={order} />
    </Card>
  );
}

interface OrderPageHeadProps {
  orderId: string;
  orderedAt: string;
  back: ReactNode;
  heading?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

export const OrderPageHead = ({ orderId, orderedAt, back, heading, children }: OrderPageHeadProps) => (
  <div className="grid gap-1">
    {back}
    <div className="flex flex-wrap items-center gap-3">
      <h1 ref={heading} tabIndex={-1} className="tabular text-2xl outline-none">
        Order #{orderNumber(orderId)}
      </h1>
      {children}
    </div>
    <p className="text-muted">
      Ordered on <Moment at={orderedAt} />
    </p>
  </div>
);

export function OrderTarget({ order }: { order: Order }) {
  const { orderType, isInstant, shippingAddress, waitingUnits, orderItems } = order;
  const isWhole = waitingUnits === unitsOf(orderItems);
  return (
    <>
      {orderType === 'digital' && waitingUnits === 0 && (
        <Target icon={Zap}>{isInstant ? 'Instant digital' : 'Digital'} delivery</Target>
      )}
      {shippingAddress && <Target icon={MapPin}>{formatAddress(shippingAddress)}</Target>}
      {waitingUnits > 0 && (
        <Target icon={UserRound}>
          {isWhole ? 'Delivered' : `${waitingUnits} ${plural(waitingUnits, 'item')} delivered`} by hand; we email you
          when it is ready
        </Target>
      )}
    </>
  );
}

const unitsOf = (lines: Order['orderItems']) => lines.reduce((sum, { quantity }) => sum + quantity, 0);

const Target = ({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) => (
  <p className="flex items-start gap-2">
    <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
    <span className="min-w-0 wrap-anywhere">{children}</span>
  </p>
);

/** Whether a person still has to deliver all digital items of the order. */
export const hasNothingToOpen = ({ waitingUnits, orderItems }: Pick<Order, 'waitingUnits' | 'orderItems'>) =>
  waitingUnits > 0 && waitingUnits === unitsOf(orderItems.filter(({ productType }) => productType === 'digital'));

export const ITEMS_ARE_GONE = 'This order was refunded, so its items are no longer shown.';

/** Whether all money of the order was refunded or is being refunded. */
export const isWhollyRefunded = ({ status, refundStatus }: Pick<Order, 'status' | 'refundStatus'>) =>
  status === 'Cancelled' && (refundStatus === 'Refunded' || refundStatus === 'Refund under way');

function wayOf({ state, card, isByHand }: Refund): string {
  if (state === 'pending') return `is on its way back to ${cardName(card)}, since`;
  if (state === 'failed') return 'did not reach your card. We are looking into it and will email you. Started on';
  return isByHand ? 'given back in another way on' : `refunded to ${cardName(card)} on`;
}

export function RefundList({ refunds }: { refunds: readonly Refund[] }) {
  const { code, format } = useCurrency();
  if (refunds.length === 0) return null;
  return (
    <ul aria-label="Refunds" className="grid gap-2 text-sm">
      {refunds.map((refund) => {
        const { amount, at, message } = refund;
        const items = unitsInWords(refund.items);
        return (
          <li key={`${at} ${amount} ${items}`} className="flex items-start gap-2">
            <Undo2 aria-hidden className="mt-0.5 size-4 shrink-0 text-accent" />
            <p className="min-w-0 wrap-anywhere">
              <strong className="tabular">{format(toCents(amount))}</strong>
              {code !== 'USD' && ` (${formatPrice(toCents(amount))})`}
              {items && ` for ${items}`} {wayOf(refund)} <Moment at={at} />
              {message && <span className="block text-muted">{message}</span>}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
