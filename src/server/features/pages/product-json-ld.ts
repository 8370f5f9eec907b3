import type { DigitalProduct } from '../../../shared/catalog.ts';

interface Seller {
  storeName: string;
  url: string;
}

/** A product as search engines want it. Its price is one unit's now, in dollars, before tax. */
export function productJsonLd(
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
