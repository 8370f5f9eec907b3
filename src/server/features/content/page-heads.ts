import type { Category, CategoryEntry, DigitalProduct } from '../../../shared/catalog.ts';
import type { InfoPage, Shop } from '../../../shared/content.ts';
import type { PageHead } from './page-html.ts';

const WELCOME = 'Digital goods, delivered instantly';
const DESCRIPTION = 'Game keys, subscriptions, gift cards and software, delivered the moment you pay.';
const MAX_DESCRIPTION = 160;

/** The screens that belong to one visitor, by the first part of their address, titled as the browser titles them. */
const privateScreens: Record<string, string> = {
  login: 'Sign In',
  register: 'Buy to Register',
  checkout: 'Checkout',
  orders: 'My Orders',
  'order-items': 'My Orders',
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

export interface HeadSources {
  shop: Shop;
  publicUrl: string;
}

/** What each page says of itself. */
export function createPageHeads({ shop, publicUrl }: HeadSources) {
  const { storeName, contact } = shop;
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
    home(category: Category | undefined, entries: CategoryEntry[]): PageHead {
      if (category) {
        const stock = entries.find(({ name }) => name === category)?.totalStock ?? 0;
        return head({
          title: category,
          description: `${category} at ${storeName}: ${stock} in stock, delivered the moment you pay.`,
          canonicalUrl: `${publicUrl}/?${new URLSearchParams({ category })}`,
        });
      }
      return head({
        title: WELCOME,
        canonicalUrl: `${publicUrl}/`,
        jsonLd: {
          '@context': 'https://schema.org',
          '@type': 'OnlineStore',
          name: storeName,
          url: `${publicUrl}/`,
          logo: `${publicUrl}/favicon.svg`,
          image: shareImage.url,
          description: DESCRIPTION,
          address: contact.address,
          telephone: contact.phone,
          email: contact.email,
        },
      });
    },

    product(product: DigitalProduct): PageHead {
      const url = `${publicUrl}/digital-product/${product._id}`;
      const imageUrl = URL.canParse(product.image, publicUrl) ? new URL(product.image, publicUrl).href : '';
      return head({
        title: product.name,
        description: shorten(product.description),
        canonicalUrl: url,
        type: 'product',
        // Those who show a shared link draw no SVG.
        image: imageUrl && !imageUrl.endsWith('.svg') ? { url: imageUrl, alt: `Cover of ${product.name}` } : shareImage,
        properties: {
          'product:price:amount': product.effectivePrice.toFixed(2),
          'product:price:currency': 'USD',
          'product:availability': product.stock > 0 ? 'in stock' : 'out of stock',
        },
        jsonLd: productJsonLd(product, { url, imageUrl, seller: { storeName, url: `${publicUrl}/` } }),
        preloads: [{ as: 'image', url: product.image }],
      });
    },

    info: ({ slug, title, description }: InfoPage): PageHead =>
      head({ title, description: shorten(description), canonicalUrl: `${publicUrl}/info/${slug}`, type: 'article' }),

    missingProduct: (): PageHead => head({ title: 'Product not found' }),

    /** For a screen of one visitor. */
    personal: (path: string): PageHead => head({ title: privateScreens[path.split('/')[1] ?? ''] ?? WELCOME }),

    missing: (): PageHead => head({ title: 'Page not found' }),
  };
}

/** At most as many characters as search engines show, ending with a whole word. */
function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= MAX_DESCRIPTION) return line;
  return `${line.slice(0, MAX_DESCRIPTION - 1).replace(/\s\S*$/, '')}…`;
}

interface Seller {
  storeName: string;
  url: string;
}

/** A product as search engines want it. Its price is one unit's now, in dollars, before tax. */
function productJsonLd(
  product: DigitalProduct,
  { url, imageUrl, seller }: { url: string; imageUrl: string; seller: Seller },
): object {
  const price = product.effectivePrice.toFixed(2);
  const endsAt = product.flashSale?.active ? product.flashSale.endDate : discountEnd(product);
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: product.name,
    description: product.description,
    image: imageUrl,
    sku: product._id,
    category: product.category,
    url,
    offers: {
      '@type': 'Offer',
      url,
      price,
      priceCurrency: 'USD',
      priceSpecification: {
        '@type': 'UnitPriceSpecification',
        price,
        priceCurrency: 'USD',
        valueAddedTaxIncluded: false,
      },
      ...(endsAt && { priceValidUntil: endsAt }),
      availability: `https://schema.org/${product.stock > 0 ? 'InStock' : 'OutOfStock'}`,
      itemCondition: 'https://schema.org/NewCondition',
      seller: { '@type': 'Organization', name: seller.storeName, url: seller.url },
    },
  };
}

const discountEnd = ({ price, effectivePrice, discount }: DigitalProduct) =>
  effectivePrice < price ? (discount?.endDate ?? undefined) : undefined;
