import {
  BadgeCheck,
  CircleAlert,
  FileDown,
  Globe,
  MailCheck,
  MonitorSmartphone,
  ShoppingCart,
  Truck,
  UserRound,
  Zap,
} from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { atMostAtOnce, RESERVED } from '../../../shared/cart-rules.ts';
import type { DigitalProduct, PhysicalProduct, Product } from '../../../shared/catalog.ts';
import { fileTypeOf, formatBytes, plural } from '../../../shared/format.ts';
import { effectivePrice, priceTermsOf } from '../../../shared/pricing.ts';
import { useClock } from '../../lib/shop-clock.ts';
import { storage, useStored } from '../../lib/storage.ts';
import { useCart } from '../../state/cart.tsx';
import { maxAtOnce } from '../../state/cart-lines.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button, QuantityStepper } from '../../ui/button.tsx';
import { Badge, Card, classNames } from '../../ui/display.tsx';
import { LineFacts } from '../../ui/order-parts.tsx';
import { countdown, hasTimedOffer, type Offer } from './offer.ts';
import { TimeLeft, useAddToCart } from './product-card.tsx';

export function BuyBox({ product }: { product: Product }) {
  const { name, stock, reserved } = product;
  const max = maxAtOnce(product, useStored(storage.token) === null);
  const [quantity, setQuantity] = useState(1);
  const [refusal, setRefusal] = useState<string>();
  const { code } = useCurrency();
  const addToCart = useAddToCart();

  function choose(wanted: number) {
    if (wanted > stock) return setRefusal(`Only ${stock} items available`);
    if (max !== null && wanted > max) return setRefusal(atMostAtOnce(max));
    setRefusal(undefined);
    setQuantity(wanted);
  }

  const paidInDollars = code !== 'USD' && <p className="text-sm text-muted">Payment is always in USD.</p>;
  if (stock === 0) {
    return (
      <Card className="print:hidden grid gap-2 p-4">
        <BuyButton disabled>Out of stock</BuyButton>
        <p className="text-sm text-muted">{reserved ? RESERVED : 'Sold out for now. Please check back later.'}</p>
        {paidInDollars}
      </Card>
    );
  }
  return (
    <Card className="print:hidden grid gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <QuantityStepper quantity={quantity} of={name} onChange={choose} />
        <BuyButton onClick={() => addToCart(product, quantity)}>
          <ShoppingCart aria-hidden className="size-5" />
          Add to cart
        </BuyButton>
      </div>
      <p role="alert" className="flex items-center gap-2 text-sm text-danger empty:hidden">
        {refusal && (
          <>
            <CircleAlert aria-hidden className="size-4 shrink-0" />
            {refusal}
          </>
        )}
      </p>
      <Sum product={product} quantity={quantity} />
      {paidInDollars}
    </Card>
  );
}

/** On small screens fixed to the bottom, unless the window is low. Padding leaves room for the floating cart button. */
function BuyButton(button: ComponentProps<typeof Button>) {
  const { count } = useCart();
  return (
    <div
      className={classNames(
        'max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:flex max-md:border-t max-md:border-line max-md:bg-surface max-md:p-4 md:contents [@media(max-height:30rem)]:contents',
        count > 0 && 'max-md:pr-22',
      )}>
      <Button {...button} size="lg" className="flex-1 max-md:min-h-14 md:min-w-48" />
    </div>
  );
}

/** The unit price depends on the quantity: a flash sale may have fewer units left. */
function Sum({ product, quantity }: { product: Product; quantity: number }) {
  const { format } = useCurrency();
  const terms = priceTermsOf(product);
  const priceAt = (now: number) => effectivePrice(terms, quantity, new Date(now)).unitPriceCents;
  const unitPriceCents = useClock(priceAt, hasTimedOffer(product));
  return (
    <p aria-live="polite" className="tabular text-sm text-muted empty:hidden">
      {quantity > 1 && (
        <>
          {quantity} × {format(unitPriceCents)} = <b className="text-ink">{format(unitPriceCents * quantity)}</b>
        </>
      )}
    </p>
  );
}

export function DeliveryNotes({ product }: { product: Product }) {
  const notes = product.kind === 'digital' ? digitalNotes(product) : physicalNotes;
  return (
    <>
      {product.kind === 'physical' && <Facts product={product} />}
      <dl className="grid gap-5 border-t border-line pt-5 text-sm">
        {notes.map(
          ({ icon: Icon, title, text }) =>
            text && (
              <div key={title} className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
                <Icon aria-hidden className="row-span-2 mt-0.5 size-5 text-accent" />
                <dt className="font-semibold">{title}</dt>
                <dd dir="auto" className="max-w-reading whitespace-pre-line wrap-anywhere text-muted">
                  {text}
                </dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}

const physicalNotes = [
  {
    icon: Truck,
    title: 'Delivery',
    text: 'Sent to your address. You get an email as soon as the parcel is on its way.',
  },
];

const deliveryTexts: Record<DigitalProduct['delivery'], string> = {
  unique: 'At once: it is on your order’s page as soon as the payment is through.',
  shared: 'At once: it is on your order’s page as soon as the payment is through.',
  file: 'At once: you download it from your order’s page as soon as the payment is through.',
  manual: 'By a person, after the payment. We write to you when it is on your order’s page.',
};

function digitalNotes({ delivery, platform, region, deliveryInstructions, warranty, download }: DigitalProduct) {
  const days = `${warranty} ${plural(warranty, 'day')}`;
  return [
    { icon: delivery === 'manual' ? UserRound : Zap, title: 'Delivery', text: deliveryTexts[delivery] },
    { icon: FileDown, title: 'File', text: download?.file && describeDownload(download.file, download) },
    { icon: MonitorSmartphone, title: 'Platform', text: platform },
    { icon: Globe, title: 'Region of activation', text: region },
    { icon: MailCheck, title: 'How to use it', text: deliveryInstructions },
    {
      icon: BadgeCheck,
      title: 'Warranty',
      text: warranty > 0 && `${days} from delivery. If it does not work, we replace it.`,
    },
  ];
}

/** Describes a download, e.g. `100 MB, PDF. 3 downloads, within 30 days.` */
function describeDownload(
  { name, bytes }: { name: string; bytes: number },
  { limit, days }: { limit: number | null; days: number | null },
): string {
  const what = [formatBytes(bytes), fileTypeOf(name)].filter(Boolean).join(', ');
  const often = limit !== null && `${limit} ${plural(limit, 'download')}`;
  const long = days !== null && `${often ? 'within' : 'To download within'} ${days} ${plural(days, 'day')}`;
  const limits = [often, long].filter(Boolean).join(', ');
  return limits === '' ? what : `${what}. ${limits}.`;
}

const kilograms = (grams: number) => (grams < 1000 ? `${grams} g` : `${grams / 1000} kg`);

function Facts({ product: { brand, weight, length, width, height } }: { product: PhysicalProduct }) {
  const sides = [length, width, height].filter((side) => side !== null);
  return (
    <LineFacts
      facts={[
        { label: 'Brand', value: brand },
        { label: 'Dimensions', value: sides.length === 3 ? `${sides.map((side) => side / 10).join(' × ')} cm` : null },
        { label: 'Weight', value: weight === null ? null : kilograms(weight) },
      ]}
    />
  );
}

export function RunningOffer({ offer: { source, endsAt, unitsLeft } }: { offer: Offer }) {
  if (source === 'regular' || (endsAt === undefined && unitsLeft === undefined)) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-2 rounded-md bg-sale-soft px-4 py-3 text-sm text-sale">
      <p className="flex items-center gap-2 font-semibold">
        {source === 'flash-sale' && <Zap aria-hidden className="size-4 fill-current" />}
        {source === 'flash-sale' ? 'Flash sale' : 'On sale'}
      </p>
      {endsAt && (
        <p role="timer">
          ends in{' '}
          <span className="tabular font-semibold">
            <TimeLeft until={endsAt} as={countdown} />
          </span>
        </p>
      )}
      {unitsLeft !== undefined && unitsLeft > 0 && <Badge tone="sale">{unitsLeft} left at this price</Badge>}
    </div>
  );
}
