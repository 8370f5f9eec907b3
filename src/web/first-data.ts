import { categoriesQuery, productQuery, productsQuery } from './features/catalog/product-queries.ts';
import { pageData } from './lib/page.ts';
import { queryClient } from './lib/query-client.ts';
import { infoPageQuery, shopQuery } from './state/shop.ts';

/** Hands what came with the page to those who would ask for it, so that the first screen paints without a second trip. */
export function keepFirstData() {
  if (pageData === undefined) return;
  const { shop, categories, lists = [], product, infoPage } = pageData;
  queryClient.setQueryData(shopQuery.queryKey, shop);
  if (categories) queryClient.setQueryData(categoriesQuery.queryKey, categories);
  for (const { filters, page } of lists) {
    queryClient.setQueryData(productsQuery(filters).queryKey, { pages: [page], pageParams: [null] });
  }
  if (product) queryClient.setQueryData(productQuery(product._id).queryKey, product);
  if (infoPage) queryClient.setQueryData(infoPageQuery(infoPage.slug).queryKey, infoPage);
}
