import { UNLIMITED_STOCK } from '../../../shared/cart-rules.ts';
import type { CategoryEntry, PhysicalProduct, Product, ProductKind } from '../../../shared/catalog.ts';
import type { InfoPage, Shop } from '../../../shared/content.ts';
import { formatCount } from '../../../shared/format.ts';
import { type ListFilters, listPath, listTitles, productPath } from '../../../shared/pages.ts';
import { MAX_STARS, type PublicReview } from '../../../shared/reviews.ts';

export interface PageHead {
  title: string;
  description: string;
  storeName: string;
  /** Undefined when search engines must not index the page. */
  canonicalUrl: string | undefined;
  type: 'website' | 'product' | 'article';
  image: { url: string; alt: string };
  /** Further Open Graph properties, e.g. `product:price:amount`. */
  properties: Record<string, string>;
  jsonLd: object | undefined;
  preloads: { as: 'image' | 'script'; url: string }[];
}

const DESCRIPTION = 'Game keys, subscriptions, gift cards and software, delivered the moment you pay.';
const WELCOME = listTitles.digital;
const ofKind: Record<ProductKind, { description: string; arrives: string }> = {
  digital: { description: DESCRIPTION, arrives: 'delivered the moment you pay' },
  physical: { description: 'Goods that you can hold in your hands, sent to your door.', arrives: 'sent to your door' },
};
const MAX_DESCRIPTION = 160;

/** Titles of personal screens by the first part of their path, the same as in the browser. */
export const privateScreens: Record<string, string> = {
  login: 'Sign In',
  register: 'Buy to Register',
  checkout: 'Checkout',
  orders: 'My Orders',
  'order-items': 'My Orders',
  review: 'My review',
  profile: 'My Profile',
  '2fa-setup': 'Two-factor authentication',
  claim: 'Open your order',
  'find-order': 'Find my order',
  'forgot-password': 'Forgot password',
  'reset-password': 'New password',
  'confirm-email': 'Confirm your email',
  'undo-email': 'Undo the change of your email',
  admin: 'Admin Dashboard',
};

export function createPageHeads({ shop, publicUrl }: { shop: Shop; publicUrl: string }) {
  const { storeName } = shop;
  const shareImage = { url: `${publicUrl}/share.png`, alt: WELCOME };

  const head = (given: Pick<PageHead, 'title'> & Partial<PageHead>): PageHead => ({
    storeName,
    description: DESCRIPTION,
    canonicalUrl: undefined,
    type: 'website',
    image: shareImage,
    properties: {},
    jsonLd: undefined,
    preloads: [],
    ...given,
    title: `${given.title} · ${storeName}`,
  });

  return {
    home({ kind, category }: ListFilters, entries: CategoryEntry[]): PageHead {
      const { description, arrives } = ofKind[kind];
      const canonicalUrl = `${publicUrl}${listPath(kind, category)}`;
      if (category) {
        const stock = entries.find(({ name }) => name === category)?.totalStock ?? 0;
        const inStock = stock < UNLIMITED_STOCK ? `${formatCount(stock)} in stock, ` : '';
        return head({
          title: category,
          description: `${category} at ${storeName}: ${inStock}${arrives}.`,
          canonicalUrl,
        });
      }
      const jsonLd =
        kind === 'digital' ? storeJsonLd(shop, { url: `${publicUrl}/`, image: shareImage.url }) : undefined;
      return head({ title: listTitles[kind], description, canonicalUrl, jsonLd });
    },

    product(product: Product, reviews: readonly PublicReview[]): PageHead {
      const url = `${publicUrl}${productPath(product)}`;
      const images = product.images.flatMap((image) => URL.parse(image, publicUrl)?.href ?? []);
      // Previews of shared links do not render SVG.
      const photograph = images.find((image) => !image.endsWith('.svg'));
      return head({
        title: product.name,
        description: shorten(product.description),
        canonicalUrl: url,
        type: 'product',
        image: photograph ? { url: photograph, alt: `Cover of ${product.name}` } : shareImage,
        properties: offerProperties(product),
        jsonLd: productJsonLd(product, reviews, { url, images, seller: storeName, sellerUrl: `${publicUrl}/` }),
        preloads: [{ as: 'image', url: product.image }],
      });
    },

    info: ({ slug, title, description }: InfoPage): PageHead =>
      head({ title, description: shorten(description), canonicalUrl: `${publicUrl}/info/${slug}`, type: 'article' }),

    missingProduct: (): PageHead => head({ title: 'Product not found' }),

    personal: (path: string): PageHead => head({ title: privateScreens[path.split('/')[1] ?? ''] ?? WELCOME }),

    missing: (): PageHead => head({ title: 'Page not found' }),
  };
}

const storeJsonLd = ({ storeName, contact }: Shop, { url, image }: Record<'url' | 'image', string>) => ({
  '@context': 'https://schema.org',
  '@type': 'OnlineStore',
  name: storeName,
  url,
  logo: `${url}favicon.svg`,
  image,
  description: DESCRIPTION,
  address: contact.address,
  telephone: contact.phone,
  email: contact.email,
});

const offerProperties = ({ effectivePrice, stock }: Product) => ({
  'product:price:amount': effectivePrice.toFixed(2),
  'product:price:currency': 'USD',
  'product:availability': stock > 0 ? 'in stock' : 'out of stock',
});

/** Cut to the length that search engines show, after a whole word. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_DESCRIPTION) return line;
  return `${line.slice(0, MAX_DESCRIPTION - 1).replace(/\s\S*$/, '')}…`;
}

function physicalJsonLd({ brand, weight, ...size }: PhysicalProduct): object {
  // Codes of UN/CEFACT for grams and millimetres.
  const quantity = (value: number, unitCode: string) => ({ '@type': 'QuantitativeValue', value, unitCode });
  return {
    ...(weight !== null && { weight: quantity(weight, 'GRM') }),
    ...(size.length !== null && { depth: quantity(size.length, 'MMT') }),
    ...(size.width !== null && { width: quantity(size.width, 'MMT') }),
    ...(size.height !== null && { height: quantity(size.height, 'MMT') }),
    ...(brand && { brand: { '@type': 'Brand', name: brand } }),
  };
}

const MAX_REVIEWS = 5;

const reviewsJsonLd = ({ rating, numReviews }: Product, reviews: readonly PublicReview[]) => ({
  aggregateRating: { '@type': 'AggregateRating', ratingValue: rating, reviewCount: numReviews },
  review: reviews
    .slice(0, MAX_REVIEWS)
    .map(({ author, stars, title, text, createdAt }) => ({
      '@type': 'Review',
      author: { '@type': 'Person', name: author },
      datePublished: createdAt,
      ...(title && { name: title }),
      reviewBody: text,
      reviewRating: { '@type': 'Rating', ratingValue: stars, bestRating: MAX_STARS },
    })),
});

type Places = Record<'url' | 'seller' | 'sellerUrl', string> & { images: string[] };

/** The price is for one unit now, in dollars before tax. */
function productJsonLd(product: Product, reviews: readonly PublicReview[], { url, images, seller, sellerUrl }: Places) {
  const { _id: sku, name, description, category, flashSale, discount } = product;
  const price = { price: product.effectivePrice.toFixed(2), priceCurrency: 'USD' };
  const discountEnd = product.effectivePrice < product.price ? discount?.endDate : undefined;
  const endsAt = flashSale?.active ? flashSale.endDate : discountEnd;
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    description,
    image: images,
    sku,
    category,
    url,
    ...(product.kind === 'physical' && physicalJsonLd(product)),
    ...(product.numReviews > 0 && reviewsJsonLd(product, reviews)),
    offers: {
      '@type': 'Offer',
      url,
      ...price,
      priceSpecification: { '@type': 'UnitPriceSpecification', ...price, valueAddedTaxIncluded: false },
      ...(endsAt && { priceValidUntil: endsAt }),
      availability: `https://schema.org/${product.stock > 0 ? 'InStock' : 'OutOfStock'}`,
      itemCondition: 'https://schema.org/NewCondition',
      seller: { '@type': 'Organization', name: seller, url: sellerUrl },
    },
  };
}
