import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { CircleAlert, Lock } from 'lucide-react';
import { type FormEvent, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'react-router';
import type { User } from '../../../shared/accounts.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { OPENING_ENDS_RETURN } from '../../../shared/order-words.ts';
import { useCart } from '../../state/cart.tsx';
import { useSession } from '../../state/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextLink } from '../../ui/form-page.tsx';
import type { CardEntry } from './card/card-entry.ts';
import { CardSection } from './card/card-section.tsx';
import { NOT_LOADED } from './card/not-loaded.tsx';
import { CartChanges } from './cart-changes.tsx';
import { readContactDraft, writeContactDraft } from './contact-draft.ts';
import { ContactFields } from './contact-fields.tsx';
import { type Contact, customerContact, guestContact } from './contact-schema.ts';
import { type PlacedOrder, snapshotOf } from './order-calls.ts';
import { EmptyCart, PAID_ELSEWHERE, PaidElsewhere, UnconfirmedOrder } from './order-outcome.tsx';
import { OrderSummary, useShortLines } from './order-summary.tsx';
import { usePayment } from './use-payment.ts';

interface CheckoutFormProps {
  /** Changes of the cart that the buyer may not have seen. */
  changes: readonly string[];
  /** False once the buyer has left this screen. */
  isShown: RefObject<boolean>;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

export function CheckoutForm({ changes, isShown, onPlaced }: CheckoutFormProps) {
  const { lines, remedy } = useCart();
  const { user } = useSession();
  const { form, saveDraft } = useContactForm(user);
  const { phase, problem, setProblem, repeat, answerRepeat, pay, retry } = usePayment({ isShown, onPlaced });
  const card = useRef<CardEntry>(null);
  const guest = user === null;
  const waiting = phase.name === 'waiting';
  const processing = phase.name === 'processing' || waiting;
  const short = useShortLines(useCallback(() => setProblem(null), [setProblem]));
  const snapshot = processing ? phase.snapshot : snapshotOf(lines);

  async function submit({ name, email, phone, password }: Contact) {
    if (card.current === null) return setProblem(NOT_LOADED);
    if (!(await card.current.check({ focus: true }))) return;
    const buyer = { guest, name, email: email.trim(), phone };
    await pay({ buyer, snapshot, password, card: card.current });
  }

  const onSubmit = (event: FormEvent) =>
    form.handleSubmit(submit, () => void card.current?.check({ focus: false }))(event);

  if (phase.name === 'unconfirmed') {
    const { order, retrying } = phase;
    return <UnconfirmedOrder email={order.buyer.email} retrying={retrying} onRetry={() => retry(order)} />;
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
            <TextLink to="/login" state={{ from: '/checkout' }}>
              Sign in
            </TextLink>{' '}
            to use your account.
          </p>
        )}
      </div>
      {!processing && <CartChanges changes={changes} remedy={remedy} />}
      <form
        noValidate
        onSubmit={(event) => void onSubmit(event)}
        onChange={saveDraft}
        className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_28rem]">
        <div className="grid gap-6">
          <Card className="p-5 sm:p-6">
            <ContactFields form={form} guest={guest} readOnly={processing} onSuggestion={saveDraft} />
          </Card>
          <Card className="p-5 sm:p-6">
            <CardSection ref={card} readOnly={processing} />
          </Card>
        </div>
        <OrderSummary snapshot={snapshot} short={short}>
          <div className="grid gap-3">
            <p
              role="alert"
              className="empty:hidden flex items-start gap-2 rounded-md bg-danger-soft px-4 py-3 text-danger">
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
            {remedy && !processing && (
              <p id="why-not" className="text-sm text-warning">
                {remedy}
              </p>
            )}
            <Button
              type="submit"
              size="lg"
              loading={processing}
              disabled={remedy !== undefined && !processing}
              aria-describedby={remedy ? 'why-not' : undefined}
              className="tabular w-full">
              {processing ? 'Processing...' : `Pay ${formatPrice(snapshot.totals.totalCents)}`}
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

/** Opens a new tab, so that the form stays. */
const InfoLink = ({ slug, children }: { slug: 'terms' | 'refunds'; children: string }) => (
  <a href={`/info/${slug}`} target="_blank" rel="noopener" className="font-semibold text-accent-ink underline">
    {children}
    <span className="sr-only"> (opens in a new tab)</span>
  </a>
);

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

/** The contact form, with this tab's draft or the details of the signed-in `user`. */
function useContactForm(user: User | null) {
  const owner = user?._id ?? 'guest';
  const { name = '', email = '', phone = '' } = user ?? {};
  const values = useMemo<Contact>(() => {
    const draft = readContactDraft(owner) ?? { name, email, phone };
    return { name: draft.name, email: draft.email, phone: draft.phone, password: '', confirmPassword: '' };
  }, [owner, name, email, phone]);

  const form = useForm<Contact>({
    resolver: standardSchemaResolver(user ? customerContact : guestContact),
    mode: 'onTouched',
    values,
    resetOptions: { keepDirtyValues: true },
  });

  const saveDraft = () => writeContactDraft(owner, form.getValues());
  return { form, saveDraft };
}

interface RepeatDialogProps {
  /** From the shop: what was bought when, and whether to buy it again. Null when there is no question. */
  question: string | null;
  /** A guest has no list of orders. */
  guest: boolean;
  onBuyAgain(): void;
  onClose(): void;
}

function RepeatDialog({ question, guest, onBuyAgain, onClose }: RepeatDialogProps) {
  return (
    <Dialog title="Same order again" isOpen={question !== null} onClose={onClose}>
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
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={onBuyAgain}>Buy again</Button>
      </div>
    </Dialog>
  );
}
