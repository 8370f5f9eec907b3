import { ExternalLink, type LucideIcon, MapPin, Package, PackageCheck, Undo2, UserRound, Zap } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatDollars } from '../../../shared/currency.ts';
import { cardName, formatAddress, orderNumber, plural, unitsInWords } from '../../../shared/format.ts';
import type { Order, Parcel, Refund } from '../../../shared/orders.ts';
import { adjustmentsOf, toCents, totalsIn } from '../../../shared/pricing.ts';
import { Day, Moment } from '../../lib/moment.tsx';
import { useOwnReviews } from '../../state/account-status.ts';
import { useCurrency } from '../../state/shop.ts';
import { TextLink } from '../../ui/form-page.tsx';
import { LineRow, SumRow } from '../../ui/order-parts.tsx';

interface OrderPageHeadProps {
  orderId: string;
  orderedAt: string;
  back: ReactNode;
  children: ReactNode;
}

export const OrderPageHead = ({ orderId, orderedAt, back, children }: OrderPageHeadProps) => (
  <div className="grid gap-1">
    {back}
    <div className="flex flex-wrap items-center gap-3">
      <h1 className="tabular text-2xl outline-none">Order #{orderNumber(orderId)}</h1>
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
          when {isWhole || waitingUnits === 1 ? 'it is' : 'they are'} ready
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
              {code !== 'USD' && ` (${formatDollars(amount)})`}
              {items && ` for ${items}`} {wayOf(refund)} <Moment at={at} />
              {message && <span className="block text-muted">{message}</span>}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

export function OrderLines({ order }: { order: Order }) {
  const { format } = useCurrency();
  return (
    <ul className="grid grid-cols-1 gap-4">
      {order.orderItems.map((item) => (
        <LineRow
          key={item._id}
          {...item}
          detail={`Quantity: ${item.quantity} × ${format(toCents(item.price))}`}
          price={<p className="tabular font-semibold">{format(toCents(item.price) * item.quantity)}</p>}>
          <ReviewLink product={item.product} name={item.name} />
        </LineRow>
      ))}
    </ul>
  );
}

/** Link to the signed-in buyer's review of a product; empty until a unit was delivered. */
function ReviewLink({ product, name }: { product: string; name: string }) {
  const own = useOwnReviews().data?.find((one) => one.product._id === product);
  if (own === undefined) return null;
  return (
    <TextLink to={`/review/${product}`} className="inline-flex min-h-11 items-center text-sm print:hidden">
      {own.review ? 'Your review' : 'Review'}
      <span className="sr-only"> of {name}</span>
    </TextLink>
  );
}

export function OrderTotals({ order }: { order: Order }) {
  const { code, format } = useCurrency();
  const price = (dollars: number) => format(toCents(dollars));
  return (
    <dl className="tabular ml-auto grid w-full gap-1.5 border-t border-line pt-4 sm:max-w-72">
      <SumRow label="Subtotal" amount={price(order.itemsPrice)} />
      {adjustmentsOf(totalsIn(order)).map(({ label, cents }) => (
        <SumRow key={label} label={label} amount={format(cents)} />
      ))}
      <SumRow label="Total" amount={price(order.totalPrice)} isTotal />
      {order.refundedPrice > 0 && <SumRow label="Refunded" amount={`−${price(order.refundedPrice)}`} />}
      {code !== 'USD' && <SumRow label="Charged in USD" amount={formatDollars(order.totalPrice)} />}
    </dl>
  );
}

export function OrderParcels({ parcels }: { parcels: readonly Parcel[] }) {
  if (parcels.length === 0) return null;
  return (
    <ul aria-label="Parcels" className="grid gap-3 text-sm">
      {parcels.map((parcel) => {
        const { _id, number, items, shippedAt, deliveredAt } = parcel;
        const Icon = deliveredAt ? PackageCheck : Package;
        return (
          <li key={_id} className="flex items-start gap-3 rounded-md border border-line px-4 py-3">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
            <div className="grid min-w-0 gap-0.5">
              <p className="font-semibold">
                {parcels.length > 1 ? `Parcel ${number}: ` : 'Parcel: '}
                {deliveredAt ? 'delivered on ' : 'on its way since '}
                <Day at={deliveredAt ?? shippedAt} />
              </p>
              <p className="wrap-anywhere text-muted">{unitsInWords(items)}</p>
              <Tracking parcel={parcel} />
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Tracking({ parcel: { carrier, trackingNumber, trackingUrl } }: { parcel: Parcel }) {
  if (!carrier && !trackingNumber) return null;
  if (!trackingUrl) {
    return <p className="wrap-anywhere">{[carrier, trackingNumber].filter(Boolean).join(', ')}</p>;
  }
  return (
    <a
      href={trackingUrl}
      target="_blank"
      rel="noopener noreferrer"
      className="justify-self-start py-3 font-semibold wrap-anywhere text-accent-ink underline">
      Track with {carrier}: {trackingNumber}
      <ExternalLink aria-hidden className="ml-1.5 inline size-4" />
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  );
}
