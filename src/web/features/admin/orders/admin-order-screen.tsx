import { PackageX } from 'lucide-react';
import { useState } from 'react';
import type { AdminOrderLine, AdminOrderPage } from '../../../../shared/admin-orders.ts';
import { formatDollars, formatPrice } from '../../../../shared/currency.ts';
import { orderNumber, plural } from '../../../../shared/format.ts';
import { adjustmentsOf, toCents, totalsIn } from '../../../../shared/pricing.ts';
import { call } from '../../../lib/api-client.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Badge, Card, Picture, Section } from '../../../ui/display.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { activationFacts, LineFacts, LineText, PaidBadge, SumRow, Timeline } from '../../../ui/order-parts.tsx';
import { ActionDialog, useTextForm } from '../action-dialog.tsx';
import { EntryPage } from '../admin-page.tsx';
import { useAdminData } from '../dashboard.ts';
import { ItemField, ItemStateBadge, useTypedReplacement } from '../inventory/items.tsx';
import { OrderProblemReports } from '../problem-reports/problem-reports-tab.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderFacts, OrderNotes } from './order-facts.tsx';
import { OrderHead } from './orders-tab.tsx';

const titleOf = (id: string) => `Order #${orderNumber(id)}`;

const isUnfinished = ({ refunds, mails }: AdminOrderPage) =>
  refunds.some(({ state }) => state === 'pending') || mails.some(({ sentAt, refusedAt }) => !sentAt && !refusedAt);

const useOrder = (id: string) =>
  useAdminData(['order', id], () => call('GET /admin/orders/:id', { params: { id } }), isUnfinished);

export const AdminOrderScreen = () => (
  <EntryPage what="order" icon={PackageX} heading={titleOf} useEntry={useOrder} titleOf={({ _id }) => titleOf(_id)}>
    {(order) => (
      <>
        <Card className="grid grid-cols-1 gap-5 p-5 sm:p-6">
          <OrderHead order={order} badge={<PaidBadge isPaid={order.isPaid} />} totalClass="text-xl" />
          <OrderActions order={order} />
        </Card>
        <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <div className="grid grid-cols-1 gap-6">
            <OrderLines order={order} />
            <OrderNotes order={order} />
            <OrderProblemReports orderId={order._id} />
            <Section title="Timeline">
              <Timeline steps={order.timeline} moment={(at) => <Moment at={at} />} />
            </Section>
          </div>
          <OrderFacts order={order} />
        </div>
      </>
    )}
  </EntryPage>
);

type Item = AdminOrderLine['items'][number];

const REPLACEMENTS = {
  unique: 'another item from the stock',
  shared: 'a copy of the newest content',
  file: 'the newest file',
  manual: 'what you type here',
};

function OrderLines({ order }: { order: AdminOrderPage }) {
  const [faulty, setFaulty] = useState<{ line: AdminOrderLine; item: Item } | null>(null);
  const typed = useTypedReplacement(faulty?.line.delivery === 'manual');
  return (
    <Section title="Items">
      <ul className="grid grid-cols-1 gap-5">
        {order.lines.map((line) => (
          <li key={line._id} className="grid grid-cols-1 gap-3 not-first:border-t not-first:border-line not-first:pt-5">
            <LineHead line={line} />
            <LineFacts facts={[...activationFacts(line), ...line.answers]} />
            {line.waitingUnits.length > 0 && (
              <ol aria-label={`Waiting units of ${line.name}`} className="grid gap-3">
                {line.waitingUnits.map((unit) => (
                  <DeliverForm key={unit} orderId={order._id} line={line} unit={unit} />
                ))}
              </ol>
            )}
            {line.items.length > 0 && (
              <ol aria-label={`Delivered items of ${line.name}`} className="grid gap-2">
                {line.items.map((item) => (
                  <DeliveredItem
                    key={item._id}
                    item={item}
                    product={line.name}
                    onReplace={() => setFaulty({ line, item })}
                  />
                ))}
              </ol>
            )}
          </li>
        ))}
      </ul>
      <Totals order={order} />
      <ActionDialog
        title="Replace faulty item"
        about={faulty?.item._id}
        action="Replace item"
        isOpen={faulty !== null}
        send={(reason) => {
          const body = { item: faulty?.item._id ?? '', reason, ...typed.body };
          return call('POST /admin/orders/:id/replace-item', { params: { id: order._id }, body });
        }}
        successMessage="The buyer has a new item"
        errorMessage="The item could not be replaced"
        {...typed.dialog}
        onClose={() => {
          setFaulty(null);
          typed.clear();
        }}>
        <p className="wrap-anywhere">
          The buyer of{' '}
          <strong>
            <bdi>{faulty?.line.name}</bdi>
          </strong>{' '}
          gets {REPLACEMENTS[faulty?.line.delivery ?? 'unique']}. The faulty one,{' '}
          <code className="font-mono break-all">{faulty?.item.masked}</code>, is never sold again.
        </p>
        {typed.field}
      </ActionDialog>
    </Section>
  );
}

function LineHead({ line }: { line: AdminOrderLine }) {
  const { name, image, category, quantity, price, refundedQuantity, warranty } = line;
  return (
    <div className="flex items-center gap-3">
      <Picture src={image} category={category} className="aspect-4/3 w-16 shrink-0 self-start rounded-md" />
      <LineText
        name={name}
        detail={
          <>
            {quantity} × {formatDollars(price)}
            {warranty > 0 && ` · Warranty ${warranty} ${plural(warranty, 'day')}`}
          </>
        }
        note={
          refundedQuantity > 0 && (
            <p className="tabular text-sm font-medium text-danger">
              {refundedQuantity} of {quantity} refunded
            </p>
          )
        }
        price={<p className="tabular font-semibold">{formatPrice(toCents(price) * quantity)}</p>}
      />
    </div>
  );
}

function DeliverForm({ orderId, line, unit }: { orderId: string; line: AdminOrderLine; unit: number }) {
  const { field, form } = useTextForm({
    missing: 'Please enter what is delivered',
    send: (content, draft) => {
      const body = { line: line._id, unit, content, draft };
      return call('POST /admin/orders/:id/deliver-unit', { params: { id: orderId }, body });
    },
    successMessage: 'Delivered, and the buyer is notified by email',
    errorMessage: 'It could not be delivered',
  });
  const name = line.quantity > 1 ? `${line.name}, number ${unit}` : line.name;
  const deliver = (
    <>
      Deliver<span className="sr-only"> {name}</span>
    </>
  );
  return (
    <li className="rounded-md border border-warning p-4 wrap-anywhere">
      <Form {...form} layout="card" action={deliver}>
        <ItemField
          {...field}
          label={`What is delivered for ${name}`}
          hint="Kept encrypted, and shown only on the buyer’s page"
        />
      </Form>
    </li>
  );
}

interface DeliveredItemProps {
  item: Item;
  product: string;
  onReplace(): void;
}

function DeliveredItem({ item, product, onReplace }: DeliveredItemProps) {
  const { number, masked, state, deliveredAt, viewed, isReplacement, isReplaced, replaceable } = item;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line px-3.5 py-2.5 text-sm">
      <span className="font-semibold">Item {number}</span>
      <code className="min-w-0 flex-1 basis-40 font-mono break-all">{masked}</code>
      <ItemStateBadge state={state} />
      {isReplaced && <Badge tone="warning">Replaced</Badge>}
      {isReplacement && <Badge tone="accent">Replacement</Badge>}
      {viewed && <Badge tone="info">Viewed</Badge>}
      {deliveredAt && <Moment at={deliveredAt} className="text-muted" />}
      {replaceable && (
        <Button variant="secondary" size="sm" onClick={onReplace}>
          Replace faulty item
          <span className="sr-only">
            {' '}
            {number} of {product}
          </span>
        </Button>
      )}
    </li>
  );
}

function Totals({ order }: { order: AdminOrderPage }) {
  return (
    <dl className="tabular ml-auto grid w-full gap-1.5 border-t border-line pt-4 sm:max-w-72">
      <SumRow label="Subtotal" amount={formatDollars(order.itemsPrice)} />
      {adjustmentsOf(totalsIn(order)).map(({ label, cents }) => (
        <SumRow key={label} label={label} amount={formatPrice(cents)} />
      ))}
      <SumRow label="Total" amount={formatDollars(order.totalPrice)} isTotal />
      {order.refundedPrice > 0 && <SumRow label="Refunded" amount={formatDollars(-order.refundedPrice)} />}
    </dl>
  );
}
