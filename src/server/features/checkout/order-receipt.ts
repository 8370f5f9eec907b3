import { formatPrice } from '../../../shared/currency.ts';
import { TAX_PERCENT } from '../../../shared/pricing.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import type { MailContent } from '../mails/mail-layout.ts';

/** An order's lines and sums, in dollars of USD, in which every order is charged. */
export function orderReceipt(
  order: OrderRow,
  lines: readonly OrderLineRow[],
): NonNullable<MailContent['receipt']> {
  return [
    ...lines.map(({ name, quantity, unit_price_cents }) => ({
      label: `${quantity} × ${name}`,
      amount: formatPrice(quantity * unit_price_cents),
    })),
    ...(order.shipping_cents > 0 ? [{ label: 'Shipping', amount: formatPrice(order.shipping_cents) }] : []),
    { label: `Tax (${TAX_PERCENT}%)`, amount: formatPrice(order.tax_cents) },
    { label: 'Total (USD)', amount: formatPrice(order.total_cents) },
  ];
}
