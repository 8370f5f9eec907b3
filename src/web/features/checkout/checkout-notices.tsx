import { CircleAlert, CircleCheck, CloudOff, ShoppingCart } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCart } from '../../state/cart.tsx';
import { type PricedLine, stockNote } from '../../state/cart-lines.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Callout, EmptyState } from '../../ui/display.tsx';
import { Notice, TextLink } from '../../ui/form-page.tsx';

/** The card was accepted but the shop cannot be reached; nothing is lost. */
export function UnconfirmedOrder({ email, ...retry }: { email: string; loading: boolean; onClick(): void }) {
  return (
    <Notice icon={CloudOff} tone="warning" title="Your payment is safe">
      <p>
        Your card was accepted, but we cannot reach the shop to show you the order. It is finished without you: the
        order comes by mail to <strong className="wrap-anywhere">{email}</strong>. You will not be charged again.
      </p>
      <Button {...retry}>Try again</Button>
    </Notice>
  );
}

export const NOT_LOADED = 'Stripe not loaded';

export function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <Callout role="alert" tone="danger" className="flex flex-wrap items-center gap-2">
      <CircleAlert aria-hidden className="size-5 shrink-0" />
      <span className="mr-auto">{NOT_LOADED}</span>
      <Button size="sm" variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </Callout>
  );
}

export const PAID_ELSEWHERE = 'You have just paid in another tab, so your card was not charged here.';

/** Replaces the form when another tab has bought everything in the cart. */
export function PaidElsewhere() {
  return (
    <Notice icon={CircleCheck} tone="success" title="Already Paid">
      <p>{PAID_ELSEWHERE}</p>
      <ButtonLink to="/orders">My Orders</ButtonLink>
    </Notice>
  );
}

export const EmptyCart = () => (
  <EmptyState
    heading="h1"
    icon={ShoppingCart}
    title="Your cart is empty"
    action={<ButtonLink to="/">Start Shopping</ButtonLink>}>
    Add some products to get started!
  </EmptyState>
);

const LONG_WAIT_MS = 4000;

export function LongWait() {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className="text-center text-sm text-balance text-muted empty:hidden">
      {isLong &&
        'This is taking longer than usual. Your money is safe: you are never charged twice, even if you leave this page.'}
    </p>
  );
}

interface SameOrderDialogProps {
  /** The shop's question; undefined closes the dialog. */
  question: string | undefined;
  guest: boolean;
  onCancel(): void;
  onBuyAgain(): void;
}

export const SameOrderDialog = ({ question, guest, onCancel, onBuyAgain }: SameOrderDialogProps) => (
  <Dialog title="Same order again" isOpen={question !== undefined} onClose={onCancel}>
    <p>{question}</p>
    <p className="text-muted">
      Your card has not been charged for this one.{' '}
      {!guest && (
        <TextLink to="/orders" replace>
          My Orders
        </TextLink>
      )}
    </p>
    <div className="flex flex-wrap justify-end gap-3">
      <Button variant="secondary" onClick={onCancel}>
        Cancel
      </Button>
      <Button onClick={onBuyAgain}>Buy again</Button>
    </div>
  </Dialog>
);

const byId = (lines: readonly PricedLine[]) => new Map(lines.map((line) => [line.product._id, line]));

/**
 * Returns a sentence for each change of the cart since the checkout was opened, and for each price that has changed
 * since the shopper chose the quantity. Everything that changes the total is included.
 */
export function useCartChanges(): string[] {
  const { lines } = useCart();
  const { format } = useCurrency();
  const [opened] = useState(() => byId(lines));
  const [sawShort, setSawShort] = useState<readonly string[]>([]);

  const short = lines.filter((line) => stockNote(line) !== undefined).map(({ product }) => product._id);
  const newlyShort = short.filter((id) => !sawShort.includes(id));
  if (newlyShort.length > 0) setSawShort([...sawShort, ...newlyShort]);

  function changesOf(line: PricedLine): string[] {
    const { product, quantity, unitPriceCents, previousPriceCents } = line;
    const before = opened.get(product._id);
    const changes: string[] = [];
    if (previousPriceCents !== undefined) {
      changes.push(`${product.name}: ${format(previousPriceCents)}, now ${format(unitPriceCents)}`);
    }
    if (before === undefined) changes.push(`${product.name}: added to your cart`);
    else if (before.quantity !== quantity) {
      changes.push(`${product.name}: quantity ${before.quantity}, now ${quantity}`);
    } else if (sawShort.includes(product._id) && !short.includes(product._id)) {
      changes.push(`${product.name}: available again`);
    }
    const note = stockNote(line);
    return note ? [...changes, `${product.name}: ${note.toLowerCase()}`] : changes;
  }

  const present = byId(lines);
  const gone = [...opened.values()].filter(({ product }) => !present.has(product._id));
  return [...lines.flatMap(changesOf), ...gone.map(({ product }) => `${product.name}: no longer in your cart`)];
}

/** Shown above the form: what the buyer should know before filling it in. */
export function CartChanges({ changes, remedy }: { changes: readonly string[]; remedy: string | undefined }) {
  const { closed } = useCart();
  return (
    <div role="status" className="grid gap-2">
      {closed && (
        <Callout tone="warning" className="font-semibold">
          {closed}
        </Callout>
      )}
      {changes.length > 0 && (
        <Callout tone="warning" className="grid gap-1">
          <h2 className="text-base">Your cart has changed</h2>
          {changes.map((change) => (
            <p key={change} className="tabular wrap-anywhere">
              {change}
            </p>
          ))}
          {remedy && remedy !== closed && <p>{remedy}</p>}
        </Callout>
      )}
    </div>
  );
}
