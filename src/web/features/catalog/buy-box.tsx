import { CircleAlert, ShoppingCart } from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { atMostAtOnce, RESERVED } from '../../../shared/cart-rules.ts';
import type { Product } from '../../../shared/catalog.ts';
import { effectivePrice, priceTermsOf } from '../../../shared/pricing.ts';
import { storage } from '../../lib/storage.ts';
import { useStored } from '../../lib/stored-value.ts';
import { useCart } from '../../state/cart.tsx';
import { maxAtOnce } from '../../state/cart-prices.ts';
import { useCurrency } from '../../state/shop.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { QuantityStepper } from '../../ui/quantity-stepper.tsx';
import { useAddToCart } from './product-card.tsx';

export function BuyBox({ product, now }: { product: Product; now: number }) {
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

  if (stock === 0) {
    return (
      <Card className="grid gap-2 p-4">
        <BuyButton disabled>Out of stock</BuyButton>
        <p className="text-sm text-muted">{reserved ? RESERVED : 'Sold out for now. Please check back later.'}</p>
      </Card>
    );
  }
  return (
    <Card className="grid gap-3 p-4">
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
      <Sum product={product} quantity={quantity} now={now} />
      {code !== 'USD' && <p className="text-sm text-muted">Payment is always in USD.</p>}
    </Card>
  );
}

/** On small screens the button is in a bar fixed to the bottom. Padding leaves room for the floating cart button. */
function BuyButton(button: ComponentProps<typeof Button>) {
  const { count } = useCart();
  return (
    <div
      className={classNames(
        'max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-20 max-md:flex max-md:border-t max-md:border-line max-md:bg-surface max-md:p-4 md:contents',
        count > 0 && 'max-md:pr-22',
      )}>
      <Button {...button} size="lg" className="flex-1 max-md:min-h-14 md:min-w-48" />
    </div>
  );
}

/** The unit price depends on the quantity: a flash sale may have fewer units left. */
function Sum({ product, quantity, now }: { product: Product; quantity: number; now: number }) {
  const { format } = useCurrency();
  const { unitPriceCents } = effectivePrice(priceTermsOf(product), quantity, new Date(now));
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
