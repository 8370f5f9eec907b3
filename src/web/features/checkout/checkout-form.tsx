import { CircleAlert, Lock } from 'lucide-react';
import { type FormEvent, useLayoutEffect, useRef, useState } from 'react';
import { type FieldPath, useWatch } from 'react-hook-form';
import { Link } from 'react-router';
import { formatPrice } from '../../../shared/currency.ts';
import { OPENING_ENDS_RETURN } from '../../../shared/format.ts';
import { useCart } from '../../state/cart.tsx';
import type { PricedLine } from '../../state/cart-lines.ts';
import { useSession } from '../../state/session.tsx';
import { useShippingCountries } from '../../state/shop.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/display.tsx';
import { FormProblem, TextLink } from '../../ui/form-page.tsx';
import { BuyerFields, useBuyerFields } from './buyer-fields.tsx';
import type { CardEntry } from './card/card-entry.ts';
import { CardSection } from './card/card-section.tsx';
import {
  EmptyCart,
  LongWait,
  NOT_LOADED,
  PAID_ELSEWHERE,
  PaidElsewhere,
  SameOrderDialog,
  UnconfirmedOrder,
} from './checkout-notices.tsx';
import { ContactFields, findCountry, ShippingFields, useContactForm } from './contact-form.tsx';
import type { Contact } from './contact-schema.ts';
import { type CartSnapshot, needsShipping, snapshotOf, useShippingQuote } from './order-calls.ts';
import { CartChanges, OrderSummary, useStockRefresh } from './order-summary.tsx';
import { type PaymentScreen, SESSION_ENDED, usePayment } from './use-payment.ts';

interface CheckoutFormProps extends PaymentScreen {
  /** Changes of the cart that the buyer may not have seen. */
  changes: readonly string[];
  /** Called when the form has to be replaced by an empty one, because another person may use the browser from now on. */
  onOtherUser(): void;
}

export function CheckoutForm({ changes, isShown, onPlaced, onOtherUser }: CheckoutFormProps) {
  const { lines, remedy } = useCart();
  const { user } = useSession();
  const ships = needsShipping(lines);
  const countries = useShippingCountries(ships);
  const { form, draft } = useContactForm(user, ships ? countries.data : undefined);
  const countryName = useWatch({ control: form.control, name: 'address.country' });
  const country = findCountry(countries.data ?? [], countryName);
  const shipping = useShippingQuote(lines, country?.name ?? '');
  const onAddressRefused = (field: string, message: string) =>
    form.setError(`address.${field}` as FieldPath<Contact>, { message }, { shouldFocus: true });
  const payment = usePayment({ isShown, onPlaced, onAddressRefused });
  const { phase, setProblem } = payment;
  const card = useRef<CardEntry>(null);
  const formElement = useRef<HTMLFormElement>(null);
  const guest = user === null;
  const processing = phase.name === 'processing' || phase.name === 'waiting';
  useStockRefresh(payment.clearStockProblem);
  const hasOtherUser = useHasOtherUser(user?._id, payment.problem === SESSION_ENDED) && !processing;
  useLayoutEffect(() => {
    if (hasOtherUser) onOtherUser();
  }, [hasOtherUser, onOtherUser]);
  const snapshot = processing ? phase.snapshot : snapshotOf(lines, shipping?.cents);
  const fields = useBuyerFields(snapshot.lines, draft.readAnswers);
  const saveDraft = () => draft.save(fields.typedNow());

  async function submit({ name, email, phone, password, address }: Contact) {
    if (card.current === null) return setProblem(NOT_LOADED);
    if (!fields.check()) return formElement.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    if (!(await card.current.check({ focus: true }))) return;
    const shippingAddress = ships ? address : undefined;
    const buyer = { guest, name, email: email.trim(), phone, shippingAddress, answers: fields.answers };
    await payment.pay({ buyer, snapshot, password, card: card.current });
  }

  const onSubmit = (event: FormEvent) =>
    form.handleSubmit(submit, () => {
      fields.check();
      void card.current?.check({ focus: false });
    })(event);

  if (phase.name === 'unconfirmed') {
    const { order, retrying } = phase;
    return <UnconfirmedOrder email={order.buyer.email} loading={retrying} onClick={() => void payment.retry(order)} />;
  }
  if (lines.length === 0 && !processing) {
    return payment.problem === PAID_ELSEWHERE ? <PaidElsewhere /> : <EmptyCart />;
  }

  return (
    <div className="mx-auto grid w-full max-w-page gap-6 px-4 py-8 sm:px-6">
      <Heading guest={guest} />
      {!processing && <CartChanges changes={changes} remedy={remedy} />}
      <form
        ref={formElement}
        noValidate
        onSubmit={(event) => void onSubmit(event)}
        onChange={saveDraft}
        className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem] xl:grid-cols-[minmax(0,1fr)_28rem]">
        <div className="grid grid-cols-1 gap-6">
          <Card className="p-5 sm:p-6">
            <ContactFields form={form} guest={guest} readOnly={processing} onSuggestion={saveDraft} />
          </Card>
          <BuyerFields fields={fields} readOnly={processing} />
          {needsShipping(snapshot.lines) && (
            <ShippingFields {...{ form, countries, country }} readOnly={processing} onChosen={saveDraft} />
          )}
          <Card className="p-5 sm:p-6">
            <CardSection ref={card} readOnly={processing} />
          </Card>
        </div>
        <OrderSummary snapshot={snapshot} shipping={processing ? undefined : shipping} readOnly={processing}>
          <PayPanel
            payment={payment}
            snapshot={snapshot}
            processing={processing}
            isPriced={processing || shipping === undefined || shipping.cents !== undefined}
            fields={fields}
          />
        </OrderSummary>
      </form>
      <SameOrderDialog
        question={phase.name === 'asking' ? phase.question : undefined}
        guest={guest}
        onCancel={payment.dontPayAgain}
        onBuyAgain={() => phase.name === 'asking' && void payment.payAgain(phase.attempt)}
      />
    </div>
  );
}

/**
 * Whether the user of this form has logged out, e.g. in another tab, or another user has signed in. A guest who signs in
 * continues with the same form, and so does a user whose session has ended, as a guest.
 */
function useHasOtherUser(user: string | undefined, hasSessionEnded: boolean): boolean {
  const [owner, setOwner] = useState(user);
  const [isGuestToo, setIsGuestToo] = useState(false);
  if (owner === undefined && user !== undefined) setOwner(user);
  if (hasSessionEnded && !isGuestToo) setIsGuestToo(true);
  return owner !== undefined && owner !== user && !(user === undefined && isGuestToo);
}

const Heading = ({ guest }: { guest: boolean }) => (
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
);

interface PayPanelProps {
  payment: ReturnType<typeof usePayment>;
  snapshot: CartSnapshot;
  /** Whether the payment is running or waits for another tab. */
  processing: boolean;
  isPriced: boolean;
  fields: ReturnType<typeof useBuyerFields>;
}

function PayPanel({ payment, snapshot, processing, isPriced, fields }: PayPanelProps) {
  const { remedy } = useCart();
  const { phase, problem } = payment;
  const waiting = phase.name === 'waiting';
  const canPay = isPriced && fields.isLoaded && (remedy === undefined || processing);
  return (
    <div className="grid gap-3">
      <FormProblem>
        {problem && problem !== remedy && (
          <span className="flex items-start gap-2">
            <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
            <span>
              {problem}{' '}
              {problem === PAID_ELSEWHERE && (
                <Link to="/orders" className="font-semibold underline">
                  My Orders
                </Link>
              )}
            </span>
          </span>
        )}
      </FormProblem>
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
        disabled={!canPay}
        aria-describedby={remedy ? 'why-not' : undefined}
        className="tabular w-full">
        {processing ? 'Processing...' : isPriced ? `Pay ${formatPrice(snapshot.totals.totalCents)}` : 'Pay'}
      </Button>
      {phase.name === 'processing' && <LongWait />}
      <p className="text-center text-sm text-balance text-muted">
        <Lock aria-hidden className="mr-1.5 inline size-4 align-[-0.15em]" />
        Paid in US dollars. {deliveryOf(snapshot.lines, fields.isManual)}
      </p>
      <p className="text-center text-sm text-balance text-muted">
        {hasDigital(snapshot.lines) && OPENING_ENDS_RETURN} Our <InfoLink slug="terms">terms of sale</InfoLink> and{' '}
        <InfoLink slug="refunds">refunds</InfoLink> apply.
      </p>
    </div>
  );
}

const hasDigital = (lines: readonly PricedLine[]) => lines.some(({ product }) => product.kind === 'digital');

function deliveryOf(lines: readonly PricedLine[], isManual: (productId: string) => boolean): string {
  const digital = lines.filter(({ product }) => product.kind === 'digital');
  const byPerson = digital.some(({ product }) => isManual(product._id));
  const atOnce = digital.some(({ product }) => !isManual(product._id));
  const byPost = needsShipping(lines);
  const ways = [
    ...(atOnce ? ['partly at once'] : []),
    ...(byPerson ? ['partly by hand, with an email when it is ready'] : []),
    ...(byPost ? ['partly by post'] : []),
  ];
  if (ways.length > 1) return `Delivered ${new Intl.ListFormat('en').format(ways)}.`;
  if (byPerson) return 'Delivered by hand. We email you when it is ready.';
  return byPost ? 'Sent by post.' : 'Delivered the moment it is paid.';
}

/** Opens the page in a new tab, so that the form keeps its values. */
const InfoLink = ({ slug, children }: { slug: 'terms' | 'refunds'; children: string }) => (
  <a href={`/info/${slug}`} target="_blank" rel="noopener" className="font-semibold text-accent-ink underline">
    {children}
    <span className="sr-only"> (opens in a new tab)</span>
  </a>
);
