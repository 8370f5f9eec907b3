import { useMutation } from '@tanstack/react-query';
import { KeyRound, LifeBuoy, PackageOpen, ReceiptText, ShieldAlert, ShoppingCart } from 'lucide-react';
import { Link } from 'react-router';
import { cardName, isolated, OPENING_ENDS_RETURN, orderNumber } from '../../../shared/format.ts';
import { type OrderPage, receiptNumber, receiptTitles } from '../../../shared/order-page.ts';
import type { DeliveredItems, Order } from '../../../shared/orders.ts';
import type { ProblemReport } from '../../../shared/problem-reports.ts';
import { messageOf } from '../../lib/api-client.ts';
import { Moment } from '../../lib/moment.tsx';
import { useCart } from '../../state/cart.tsx';
import { add, findLine, loadProductsById } from '../../state/cart-actions.ts';
import { useToasts } from '../../state/toasts.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Callout, EmptyState, Section } from '../../ui/display.tsx';
import { PaidBadge, Timeline } from '../../ui/order-parts.tsx';
import { DeliveredProduct } from './delivered-items.tsx';
import {
  hasNothingToOpen,
  ITEMS_ARE_GONE,
  isWhollyRefunded,
  OrderLines,
  OrderParcels,
  OrderTarget,
  OrderTotals,
  RefundList,
} from './order-details.tsx';
import { ItemReports, ReportList, ReportsFailure, useProblemReports } from './problem-reports.tsx';

interface OrderSectionsProps {
  order: OrderPage;
  /** Opens a receipt of an order that was opened by a mailed code, whose page shows the items, too. */
  onReceipt?: ((number: number) => void) | undefined;
}

export function OrderSections({ order, onReceipt }: OrderSectionsProps) {
  const canOpenItems = order.hasItems && onReceipt === undefined;
  return (
    <>
      <Goods order={order} canOpenItems={canOpenItems} />
      {canOpenItems && <Reports orderId={order._id} />}
      <Delivery order={order} />
      <Payment order={order} onReceipt={onReceipt} />
      <Section title="Timeline">
        <Timeline steps={order.timeline} moment={(at) => <Moment at={at} />} />
      </Section>
    </>
  );
}

function Goods({ order, canOpenItems }: { order: OrderPage; canOpenItems: boolean }) {
  const opens = canOpenItems && (
    <ButtonLink icon={KeyRound} to={`/order-items/${order._id}`}>
      View Items
    </ButtonLink>
  );
  return (
    <Section title="Items" beside={opens}>
      {opens && !hasNothingToOpen(order) && (
        <p className="text-sm text-muted">{isWhollyRefunded(order) ? ITEMS_ARE_GONE : OPENING_ENDS_RETURN}</p>
      )}
      <OrderLines order={order} />
      <OrderTotals order={order} />
    </Section>
  );
}

function Reports({ orderId }: { orderId: string }) {
  const reports = useProblemReports(orderId);
  if (!reports.isLoadingError && (reports.data?.reports ?? []).length === 0) return null;
  return (
    <Section title="Problem reports">
      <ReportsFailure query={reports} />
      <ReportList reports={reports.data?.reports ?? []} />
    </Section>
  );
}

function Delivery({ order }: { order: OrderPage }) {
  return (
    <Section title="Delivery">
      <div className="text-sm">
        <OrderTarget order={order} />
      </div>
      <OrderParcels parcels={order.parcels} />
      {order.orderType === 'physical' && order.status === 'Processing' && (
        <p className="text-sm text-muted">
          {order.parcels.length > 0 ? 'The rest is being packed.' : 'Your order is being packed.'} We write to you when
          it is on its way.
        </p>
      )}
    </Section>
  );
}

function Payment({ order, onReceipt }: Pick<OrderSectionsProps, 'order' | 'onReceipt'>) {
  const { paymentMethod, card, isPaid, refunds, receipts } = order;
  return (
    <Section title="Payment" beside={<PaidBadge isPaid={isPaid} />}>
      <p className="text-sm">{card ? cardName(card) : paymentMethod}</p>
      <RefundList refunds={refunds} />
      {isPaid && receipts.length === 0 && <p className="text-sm text-muted">Your receipt is being made.</p>}
      <div className="flex flex-wrap gap-3 empty:hidden">
        {receipts.map(({ number, kind }) => {
          const look = { variant: 'secondary', icon: ReceiptText } as const;
          const label = `${receiptTitles[kind]} ${receiptNumber(number)}`;
          return onReceipt ? (
            <Button key={number} {...look} onClick={() => onReceipt(number)}>
              {label}
            </Button>
          ) : (
            <ButtonLink key={number} {...look} to={`/orders/${order._id}/receipt?number=${number}`}>
              {label}
            </ButtonLink>
          );
        })}
      </div>
    </Section>
  );
}

const TO_READ_MS = 8000;

export function BuyAgainButton({ order }: { order: OrderPage }) {
  const cart = useCart();
  const { show } = useToasts();
  const { mutate, isPending } = useMutation({
    mutationFn: () => buyAgain(order.orderItems),
    onSuccess: ({ added, problems }) => {
      if (problems.length > 0) show({ type: 'warning', message: problems.join('. '), duration: TO_READ_MS });
      if (added > 0) cart.open();
    },
    onError: (failure) => show({ type: 'error', message: messageOf(failure, 'The cart could not be filled') }),
  });
  return (
    <Button variant="secondary" icon={ShoppingCart} loading={isPending} onClick={() => mutate()}>
      Buy again
    </Button>
  );
}

/** `added` also counts products that the cart had already; `problems` name missing products and units. */
async function buyAgain(items: Order['orderItems']): Promise<{ added: number; problems: string[] }> {
  const products = await loadProductsById(
    items.map(({ product, productType }) => ({ _id: product, kind: productType })),
  );
  const problems: string[] = [];
  let added = 0;
  for (const { product: id, name: unisolated, quantity } of items) {
    const name = isolated(unisolated);
    const product = products.get(id);
    if (!product || product.stock === 0) {
      problems.push(`${name} is not available at the moment`);
      continue;
    }
    // Raises the line to the number of bought units, including units that are already in the cart.
    const wanted = Math.min(quantity, product.stock) - (findLine(id)?.quantity ?? 0);
    const refusal = wanted > 0 ? add(product, wanted) : undefined;
    if (refusal) problems.push(`${name}: ${refusal}`);
    else added += 1;
    if (!refusal && product.stock < quantity) problems.push(`${name}: Only ${product.stock} items available`);
  }
  return { added, problems };
}

interface DeliveredGoodsProps {
  order: DeliveredItems;
  /** Undefined if the order was opened by a mailed code. */
  reports?: ReturnType<typeof useProblemReports>;
}

export function DeliveredGoods({ order, reports }: DeliveredGoodsProps) {
  const isShown = ({ item }: ProblemReport) =>
    order.items.some(({ line, items }) => line === item.line && items.some(({ number }) => number === item.number));
  const earlier = reports?.data?.reports.filter((report) => !isShown(report)) ?? [];
  return (
    <>
      {!isWhollyRefunded(order) && (
        <Callout tone="warning" icon={ShieldAlert}>
          Keep these items to yourself. Anybody who sees a key or a password can use it, and we never ask you for them.
        </Callout>
      )}
      {order.items.length === 0 ? (
        <EmptyState icon={PackageOpen} title="No items available. Please contact support." />
      ) : (
        order.items.map((product) => (
          <DeliveredProduct
            key={product.items[0]?.id ?? product.productName}
            product={product}
            orderId={reports && order.orderId}
            belowItem={
              reports &&
              ((item, label) => (
                <ItemReports
                  orderId={order.orderId}
                  data={reports.data}
                  line={product.line}
                  item={item}
                  label={label}
                />
              ))
            }
          />
        ))
      )}
      {reports && <ReportsFailure query={reports} />}
      <ReportList reports={earlier} />
      <section aria-labelledby="need-help" className="flex gap-4 rounded-lg bg-accent-soft p-5 text-accent-ink">
        <LifeBuoy aria-hidden className="size-6 shrink-0" />
        <div className="grid gap-1">
          <h2 id="need-help" className="text-lg">
            Need Help?
          </h2>
          <p>
            {reports
              ? 'If an item under warranty does not work, report the problem below it. For anything else,'
              : 'If an item does not work, sign in and report the problem on this order’s page, or'}{' '}
            <Link to="/info/support" className="font-semibold underline">
              contact support
            </Link>{' '}
            and name your order, #{orderNumber(order.orderId)}. Never send the item itself.
          </p>
        </div>
      </section>
    </>
  );
}
