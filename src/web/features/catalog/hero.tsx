import { useInfiniteQuery } from '@tanstack/react-query';
import { BadgeCheck, ShieldCheck, Truck, Zap } from 'lucide-react';
import type { ProductKind } from '../../../shared/catalog.ts';
import { listTitles } from '../../../shared/pages.ts';
import { productsQuery } from '../../lib/product-queries.ts';
import { Picture } from '../../ui/display.tsx';
import { ProductLink } from './product-card.tsx';

const secure = { icon: ShieldCheck, text: 'Secure card payment' };

const texts = {
  digital: {
    title: 'Digital goods, delivered the moment you pay',
    text: 'Game keys, subscriptions, gift cards and software. Pick one, pay by card, and read your key on the very next page.',
    promises: [{ icon: Zap, text: 'Delivered in seconds' }, secure, { icon: BadgeCheck, text: 'Replaced if it fails' }],
  },
  physical: {
    title: listTitles.physical,
    text: 'Pick one, pay by card, and follow your parcel. Digital goods go into the same cart.',
    promises: [{ icon: Truck, text: 'Sent to your address' }, secure],
  },
};

export function Hero({ kind }: { kind: ProductKind }) {
  const { title, text, promises } = texts[kind];
  return (
    <section className="relative mx-auto grid max-w-page items-center gap-8 px-4 pt-6 pb-10 sm:px-6 sm:pt-10 lg:grid-cols-[1.1fr_1fr] lg:pt-12 lg:pb-14">
      <div className="grid gap-5">
        <h1 className="max-w-xl text-3xl">{title}</h1>
        <p className="max-w-lg text-muted sm:text-lg">{text}</p>
        <ul className="flex flex-wrap gap-x-6 gap-y-2 text-sm font-semibold">
          {promises.map(({ icon: Icon, text }) => (
            <li key={text} className="flex items-center gap-2">
              <Icon aria-hidden className="size-4.5 text-accent" />
              {text}
            </li>
          ))}
        </ul>
      </div>
      <ShopWindow kind={kind} />
    </section>
  );
}

const places = [
  'left-[5%] top-16 w-[46%] -rotate-6',
  'right-[5%] top-16 w-[46%] rotate-6',
  'left-1/2 top-10 w-[54%] -translate-x-1/2',
];

/**
 * Shows three featured products under the awning. Hidden from screen readers, because the list below has all products.
 */
function ShopWindow({ kind }: { kind: ProductKind }) {
  const { data } = useInfiniteQuery(productsQuery({ kind, category: undefined, sort: 'featured' }));
  // The first product is in front.
  const [front, left, right] = (data?.pages[0]?.data ?? []).filter(({ stock }) => stock > 0);
  return (
    <div
      aria-hidden
      className="relative mx-auto h-76 w-full max-w-xl overflow-hidden rounded-xl bg-sunken max-md:hidden">
      {[left, right, front].map(
        (product, index) =>
          product && (
            <ProductLink
              key={places[index]}
              product={product}
              tabIndex={-1}
              className={`absolute block rounded-lg shadow-float transition-[scale] duration-300 motion-safe:hover:scale-104 ${places[index]}`}>
              <Picture src={product.image} eager className="aspect-4/3 rounded-lg" category={product.category} />
            </ProductLink>
          ),
      )}
      <div className="awning absolute inset-x-0 top-0 h-8" />
    </div>
  );
}
