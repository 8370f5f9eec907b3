import { Printer, ReceiptText } from 'lucide-react';
import type { ReactNode } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { formatDollars, formatPrice } from '../../../shared/currency.ts';
import { cardName, formatAddress, formatShopMoment, orderNumber } from '../../../shared/format.ts';
import { type Receipt, receiptNumber, receiptTitles } from '../../../shared/order-page.ts';
import { toCents } from '../../../shared/pricing.ts';
import { call } from '../../lib/api-client.ts';
import { useTitle } from '../../lib/page.ts';
import { useMine } from '../../state/account-status.ts';
import { messageOfRead, refetchWhile } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/display.tsx';
import { ReturnLink, TextLink } from '../../ui/form-page.tsx';
import { LoadFailure, Loading } from '../../ui/loading.tsx';
import { SumRow } from '../../ui/order-parts.tsx';

/** The receipt of an order, or with `?number=` one of its credit notes, for the buyer and for administrators. */
export function ReceiptScreen() {
  const { orderId = '' } = useParams();
  const [params] = useSearchParams();
  const { user } = useSession();
  const query = useMine(['receipts', orderId], () => call('GET /orders/:orderId/receipts', { params: { orderId } }), {
    // The receipt is issued within seconds after the payment.
    refetchInterval: refetchWhile(({ length }) => length === 0),
  });
  const { data, error } = query;
  const why = messageOfRead(error, 'Order', 'Failed to load the receipt');
  const wanted = params.get('number');
  const receipt = data?.find(({ number }) => (wanted ? number === Number(wanted) : true));
  // Browsers use the title as the name of a PDF.
  useTitle(receipt ? `${receiptTitles[receipt.kind]} ${receiptNumber(receipt.number)}` : 'Receipt');
  const back = (
    <ReturnLink to={user?.role === 'admin' ? `/admin/orders/${orderId}` : `/orders/${orderId}`}>
      Order #{orderNumber(orderId)}
    </ReturnLink>
  );
  return (
    <div className="mx-auto grid w-full max-w-[52rem] grid-cols-1 gap-6 px-4 py-8 sm:px-6 print:max-w-none print:p-0">
      {receipt && <ReceiptSheet receipt={receipt} back={back} />}
      {data && data.length > 1 && (
        <nav aria-label="Receipts of this order" className="flex flex-wrap gap-x-6 gap-y-2 print:hidden">
          {data.map(({ number, kind }) => (
            <TextLink
              key={number}
              to={`?number=${number}`}
              aria-current={number === receipt?.number ? 'page' : undefined}>
              {receiptTitles[kind]} {receiptNumber(number)}
            </TextLink>
          ))}
        </nav>
      )}
      {!receipt && (data || error) && back}
      {!receipt && error && (
        <LoadFailure heading="h1" icon={ReceiptText} title="This receipt cannot be shown" text={why} query={query} />
      )}
      {!receipt && data && !error && (
        <EmptyState heading="h1" icon={ReceiptText} title="No receipt yet">
          <p role="status">It is made within seconds of the payment.</p>
        </EmptyState>
      )}
      {!data && !error && (
        <Loading label="Loading your receipt">
          <Skeleton className="h-[32rem]" />
        </Loading>
      )}
    </div>
  );
}

/** A receipt or a credit note in a form that can be printed; `back` leads to the previous screen. */
export function ReceiptSheet({ receipt, back }: { receipt: Receipt; back: ReactNode }) {
  const { kind, number, seller, buyer, corrects, message, total } = receipt;
  const isReceipt = kind === 'receipt';
  const subtotalCents = receipt.lines.reduce((sum, { price, quantity }) => sum + toCents(price) * quantity, 0);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
        {back}
        <Button icon={Printer} onClick={() => window.print()}>
          Print
        </Button>
      </div>
      <article
        aria-label={`${receiptTitles[kind]} ${receiptNumber(number)}`}
        className="grid grid-cols-1 gap-8 rounded-lg border border-line bg-surface p-6 shadow-card sm:p-10 print:border-0 print:p-0 print:shadow-none">
        <header className="flex flex-wrap justify-between gap-x-8 gap-y-4">
          <div className="grid gap-1">
            <h1 className="text-2xl">{receiptTitles[kind]}</h1>
            <p className="tabular text-muted">No. {receiptNumber(number)}</p>
          </div>
          <address className="grid max-w-72 content-start gap-0.5 text-sm not-italic sm:text-right">
            <strong>{seller.name}</strong>
            <span className="wrap-anywhere">{seller.address}</span>
            {seller.taxId && <span>Tax ID: {seller.taxId}</span>}
          </address>
        </header>
        <div className="grid gap-6 text-sm sm:grid-cols-2">
          <div className="grid content-start gap-0.5">
            <h2 className="text-sm tracking-normal">Buyer</h2>
            {buyer.name && <p className="wrap-anywhere">{buyer.name}</p>}
            <p className="wrap-anywhere">{buyer.email}</p>
            {buyer.address && <p className="wrap-anywhere">{formatAddress(buyer.address)}</p>}
          </div>
          <dl className="grid grid-cols-[auto_1fr] content-start gap-x-4 gap-y-0.5">
            <Fact label="Date">{formatShopMoment(receipt.issuedAt)}</Fact>
            <Fact label="Order">
              #{orderNumber(receipt.order)}, {formatShopMoment(receipt.orderedAt)}
            </Fact>
            {corrects !== null && <Fact label="Corrects">Receipt {receiptNumber(corrects)}</Fact>}
            <Fact label={isReceipt ? 'Paid' : 'Given back'}>
              {isReceipt && `${formatShopMoment(receipt.paidAt)}, `}
              {wayOf(receipt)}
            </Fact>
          </dl>
        </div>
        <Lines receipt={receipt} />
        <dl className="tabular ml-auto grid w-full gap-1.5 text-sm sm:max-w-72">
          {receipt.lines.length > 0 && <SumRow label="Subtotal" amount={formatPrice(subtotalCents)} />}
          {receipt.adjustments.map(({ label, amount }) => (
            <SumRow key={label} label={label} amount={formatDollars(amount)} />
          ))}
          <SumRow label={isReceipt ? 'Total (USD)' : 'Total given back (USD)'} amount={formatDollars(total)} isTotal />
        </dl>
        {message && <p className="text-sm wrap-anywhere">{message}</p>}
      </article>
    </>
  );
}

function wayOf({ kind, card, isByHand }: Receipt): string {
  if (isByHand) return 'in another way';
  if (card) return cardName(card);
  return kind === 'receipt' ? 'by card' : 'to the card that paid';
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <>
    <dt className="text-muted">{label}</dt>
    <dd className="tabular wrap-anywhere">{children}</dd>
  </>
);

function Lines({ receipt: { lines } }: { receipt: Receipt }) {
  if (lines.length === 0) return null;
  return (
    <div className="overflow-x-auto print:overflow-visible">
      <table className="tabular w-full text-sm">
        <thead>
          <tr className="border-b border-edge text-left">
            <th className="py-2 pr-4">Item</th>
            <th className="py-2 pr-4 text-right max-sm:hidden print:table-cell">Price</th>
            <th className="py-2 pr-4 text-right">Qty</th>
            <th className="py-2 text-right">Amount</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, quantity, price }) => (
            <tr key={`${name} ${price}`} className="border-b border-line align-top">
              <td dir="auto" className="py-2 pr-4 text-left wrap-anywhere">
                {name}
              </td>
              <td className="py-2 pr-4 text-right max-sm:hidden print:table-cell">{formatDollars(price)}</td>
              <td className="py-2 pr-4 text-right">{quantity}</td>
              <td className="py-2 text-right">{formatPrice(toCents(price) * quantity)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
