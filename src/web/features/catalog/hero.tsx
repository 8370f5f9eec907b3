import { useInfiniteQuery } from '@tanstack/react-query';
import { BadgeCheck, ShieldCheck, Zap } from 'lucide-react';
import { Link } from 'react-router';
import type { DigitalProduct } from '../../../shared/catalog.ts';
import { Picture } from '../../ui/picture.tsx';
import { productsQuery } from './catalog-queries.ts';
import { CategoryIcon } from './category-icon.tsx';

const promises = [
  { icon: Zap, text: 'Delivered in seconds' },
  { icon: ShieldCheck, text: 'Secure card payment' },
  { icon: BadgeCheck, text: 'Replaced if it fails' },
];

export function Hero() {
  return (
    <section className="relative mx-auto grid max-w-page items-center gap-10 px-4 pt-10 pb-10 sm:px-6 lg:grid-cols-[1.1fr_1fr] lg:pt-14 lg:pb-14">
      <div className="grid gap-5">
        <h1 className="max-w-xl text-3xl">Digital goods, delivered the moment you pay</h1>
        <p className="max-w-lg text-lg text-muted">
          Game keys, subscriptions, gift cards and software. Pick one, pay by card, and read your key on the
          very next page.
        </p>
        <ul className="flex flex-wrap gap-x-6 gap-y-2 text-sm font-semibold">
          {promises.map(({ icon: Icon, text }) => (
            <li key={text} className="flex items-center gap-2">
              <Icon aria-hidden className="size-4.5 text-accent" />
              {text}
            </li>
          ))}
        </ul>
      </div>
      <ShopWindow />
    </section>
  );
}

const WINDOW_SIZE = 3;
const places = ['sm:-rotate-3 z-10', 'sm:-translate-y-2 z-20', 'sm:rotate-3 z-10'];

/** Three featured products under the awning. Decoration that can be pressed: the list below has them all. */
function ShopWindow() {
  const { data } = useInfiniteQuery(productsQuery({ category: undefined, sort: 'featured' }));
  const products = (data?.pages[0]?.data ?? []).filter(({ stock }) => stock > 0).slice(0, WINDOW_SIZE);
  return (
    <div aria-hidden className="relative max-md:hidden">
      <div className="awning relative z-30 h-4 rounded-t-sm border-t-8 border-accent" />
      <div className="-mt-4 grid h-64 grid-cols-3 items-center gap-0 rounded-xl bg-sunken px-8 pt-4">
        {places.map((place, index) => (
          <WindowPlace key={place} place={place} product={products[index]} />
        ))}
      </div>
    </div>
  );
}

function WindowPlace({ place, product }: { place: string; product: DigitalProduct | undefined }) {
  if (product === undefined) return <div />;
  return (
    <Link
      to={`/digital-product/${product._id}`}
      tabIndex={-1}
      className={`-mx-2 block rounded-lg shadow-float transition-[translate,rotate] hover:z-30 motion-safe:hover:-translate-y-3 ${place}`}
    >
      <Picture
        src={product.image}
        alt=""
        eager
        className="aspect-4/5 rounded-lg"
        placeholder={<CategoryIcon category={product.category} className="size-10 opacity-60" />}
      />
    </Link>
  );
}
