import { CircleAlert, Lock, ShoppingCart } from 'lucide-react';
import { type FormEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { TAKE_FEWER } from '../../../shared/cart-rules.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { OPENING_ENDS_RETURN } from '../../../shared/return-rule.ts';
import { useCart } from '../../state/cart.tsx';
import { stockRemedy } from '../../state/cart-prices.ts';
import { useSession } from '../../state/session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import type { CardEntry } from './card/card-entry.ts';
import { CardSection } from './card/card-section.tsx';
import { NOT_LOADED } from './card/not-loaded.tsx';
import { ContactFields } from './contact-fields.tsx';
import type { Contact } from './contact-schema.ts';
import { OrderSummary } from './order-summary.tsx';
import { PAID_ELSEWHERE, PaidElsewhere } from './paid-elsewhere.tsx';
import type { PlacedOrder } from './place-order.ts';
import { quoteOf } from './quote.ts';
import { RepeatDialog } from './repeat-dialog.tsx';
import { UnconfirmedOrder } from './unconfirmed-order.tsx';
import { useContactForm } from './use-contact-form.ts';
import { usePayment } from './use-payment.ts';
import { useShortLines } from './use-short-lines.ts';

interface CheckoutFormProps {
  /** What the buyer may not have seen of the cart yet. */
  changes: readonly string[];
  /** False once the buyer has gone on to another screen. */
  isShown: RefObject<boolean>;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

export function CheckoutForm({ changes, isShown, onPlaced }: CheckoutFormProps) {
  const { lines, limitNote } = useCart();
  const { user } = useSession();
  const { form, saveDraft } = useContactForm(user);
  const { phase, problem, setProblem, repeat, answerRepeat, pay, retry } = usePayment({ isShown, onPlaced });
  const card = useRef<CardEntry>(null);
  const guest = user === null;
  const waiting = phase.name === 'waiting';
  const processing = phase.name === 'processing' || waiting;
  const short = useShortLines(useCallback(() => setProblem(null), [setProblem]));
  const isOverLimit = limitNote !== undefined || lines.some((line) => line.limitNote !== undefined);
  const limitRemedy = isOverLimit ? `${limitNote ? `${limitNote}. ` : ''}${TAKE_FEWER}` : undefined;
  const whyNot = stockRemedy(lines) ?? limitRemedy;
  const quote = processing ? phase.quote : quoteOf(lines);

  async function submit({ name, email, phone, password }: Contact) {
    if (card.current === null) return setProblem(NOT_LOADED);
    if (!(await card.current.check({ focus: true }))) return;
    await pay({ buyer: { guest, name, email: email.trim(), phone }, quote, password, card: card.current });
  }

  const onSubmit = (event: FormEvent) =>
    form.handleSubmit(submit, () => void card.current?.check({ focus: false }))(event);

  if (phase.name === 'unconfirmed') {
    const { paid, retrying } = phase;
    return <UnconfirmedOrder email={paid.buyer.email} retrying={retrying} onRetry={() => retry(paid)} />;
  }
  if (lines.length === 0 && !processing) {
    return problem === PAID_ELSEWHERE ? <PaidElsewhere /> : <EmptyCart />;
  }

  return (
    <div className="mx-auto grid w-full max-w-page gap-6 px-4 py-8 sm:px-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h1 className="text-2xl">Checkout</h1>
        {guest && (
          <p className="text-muted">
            Bought here before?{' '}
            <Link
              to="/login"
              state={{ from: '/checkout' }}
              className="font-semibold text-accent-ink underline"
            >
              Sign in
            </Link>{' '}
            to use your account.
          </p>
        )}
      </div>
      {!processing && <CartChanges changes={changes} remedy={whyNot} />}
      <form
        noValidate
        onSubmit={(event) => void onSubmit(event)}
        onChange={saveDraft}
        className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_28rem]"
      >
        <div className="grid gap-6">
          <Card className="p-5 sm:p-6">
            <ContactFields form={form} guest={guest} readOnly={processing} onTaken={saveDraft} />
          </Card>
          <Card className="p-5 sm:p-6">
            <CardSection ref={card} readOnly={processing} />
          </Card>
        </div>
        <OrderSummary quote={quote} short={short}>
          <div className="grid gap-3">
            <p
              role="alert"
              className="empty:hidden flex items-start gap-2 rounded-md bg-danger-soft px-4 py-3 text-danger"
            >
              {problem && (
                <>
                  <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
                  <span>
                    {problem}{' '}
                    {problem === PAID_ELSEWHERE && (
                      <Link to="/orders" className="font-semibold underline">
                        My Orders
                      </Link>
                    )}
                  </span>
                </>
              )}
            </p>
            <p role="status" className={waiting ? 'rounded-md bg-info-soft px-4 py-3 text-info' : 'sr-only'}>
              {waiting
                ? 'You are paying in another tab. Finish it there, or close it.'
                : processing && 'Processing your payment'}
            </p>
            {whyNot && !processing && (
              <p id="why-not" className="text-sm text-warning">
                {whyNot}
              </p>
            )}
            <Button
              type="submit"
              size="lg"
              loading={processing}
              disabled={whyNot !== undefined && !processing}
              aria-describedby={whyNot ? 'why-not' : undefined}
              className="tabular w-full"
            >
              {processing ? 'Processing...' : `Pay ${formatPrice(quote.totals.totalCents)}`}
            </Button>
            {phase.name === 'processing' && <LongWait />}
            <p className="flex items-center justify-center gap-1.5 text-sm text-muted">
              <Lock aria-hidden className="size-4" />
              Paid in US dollars. Delivered the moment it is paid.
            </p>
            <p className="text-center text-sm text-muted">
              {OPENING_ENDS_RETURN} Our <InfoLink slug="terms">terms of sale</InfoLink> and{' '}
              <InfoLink slug="refunds">refunds</InfoLink> apply.
            </p>
          </div>
        </OrderSummary>
      </form>
      <RepeatDialog
        question={repeat?.question ?? null}
        guest={guest}
        onBuyAgain={() => answerRepeat(true)}
        onClose={() => answerRepeat(false)}
      />
    </div>
  );
}

/** In a tab of its own, as the form must stay. */
const InfoLink = ({ slug, children }: { slug: 'terms' | 'refunds'; children: string }) => (
  <a
    href={`/info/${slug}`}
    target="_blank"
    rel="noopener"
    className="font-semibold text-accent-ink underline"
  >
    {children}
    <span className="sr-only"> (opens in a new tab)</span>
  </a>
);

/** Above what is typed, so that nobody fills in a form that cannot be sent, or pays an amount that was another before. */
function CartChanges({ changes, remedy }: { changes: readonly string[]; remedy: string | undefined }) {
  return (
    <div role="status">
      {changes.length > 0 && (
        <div className="grid gap-1 rounded-md bg-warning-soft px-4 py-3 text-warning">
          <h2 className="text-base">Your cart has changed</h2>
          {changes.map((change) => (
            <p key={change} className="tabular wrap-anywhere">
              {change}
            </p>
          ))}
          {remedy && <p>{remedy}</p>}
        </div>
      )}
    </div>
  );
}

const LONG_WAIT_MS = 4000;

function LongWait() {
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

function EmptyCart() {
  return (
    <EmptyState
      heading="h1"
      icon={ShoppingCart}
      title="Your cart is empty"
      action={
        <Link to="/" className={buttonClass()}>
          Start Shopping
        </Link>
      }
    >
      Add some products to get started!
    </EmptyState>
  );
}
