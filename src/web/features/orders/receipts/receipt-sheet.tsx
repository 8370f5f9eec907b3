import { Printer } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatPrice } from '../../../../shared/currency.ts';
import { formatAddress, formatShopMoment } from '../../../../shared/format.ts';
import { cardName, orderNumber } from '../../../../shared/order-words.ts';
import { toCents } from '../../../../shared/pricing.ts';
import { type Receipt, receiptNumber, receiptTitles } from '../../../../shared/receipts.ts';
import { Button } from '../../../ui/button.tsx';

const dollars = (amount: number) => formatPrice(toCents(amount));

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
          {receipt.lines.length > 0 && <Sum label="Subtotal">{formatPrice(subtotalCents)}</Sum>}
          {receipt.adjustments.map(({ label, amount }) => (
            <Sum key={label} label={label}>
              {dollars(amount)}
            </Sum>
          ))}
          <Sum label={isReceipt ? 'Total (USD)' : 'Total given back (USD)'} isTotal>
            {dollars(total)}
          </Sum>
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

const Sum = ({ label, isTotal = false, children }: { label: string; isTotal?: boolean; children: ReactNode }) => (
  <div className={isTotal ? 'flex justify-between gap-4 text-base font-bold' : 'flex justify-between gap-4'}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

function Lines({ receipt: { lines } }: { receipt: Receipt }) {
  if (lines.length === 0) return null;
  return (
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
            <td className="py-2 pr-4 wrap-anywhere">{name}</td>
            <td className="py-2 pr-4 text-right max-sm:hidden print:table-cell">{dollars(price)}</td>
            <td className="py-2 pr-4 text-right">{quantity}</td>
            <td className="py-2 text-right">{formatPrice(toCents(price) * quantity)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
