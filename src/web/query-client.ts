import { notifyManager, QueryClient } from '@tanstack/react-query';
import { categoriesQuery, productQuery, productsQuery, reviewsQuery } from './features/catalog/product-queries.ts';
import { isTransient } from './lib/api-client.ts';
import { pageData } from './lib/page.ts';
import { infoPageQuery, shopQuery } from './state/shop.ts';

const MAX_RETRIES = 2;

// By default, components are updated in the next task. The second click of a double click could come earlier, while the
// button is not busy yet.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, retry: (failures, failure) => failures < MAX_RETRIES && isTransient(failure) },
    // Without a connection a change fails with a message, instead of being sent when the connection is back.
    mutations: { networkMode: 'always' },
  },
});

// The first screen paints from the data in the page, without a second request.
if (pageData !== undefined) {
  const { shop, categories, lists = [], product, reviews, infoPage } = pageData;
  queryClient.setQueryData(shopQuery.queryKey, shop);
  for (const kind of ['digital', 'physical'] as const) {
    if (categories) queryClient.setQueryData(categoriesQuery(kind).queryKey, categories[kind]);
  }
  for (const { filters, page } of lists) {
    queryClient.setQueryData(productsQuery(filters).queryKey, { pages: [page], pageParams: [null] });
  }
  if (product) queryClient.setQueryData(productQuery(product.kind, product._id).queryKey, product);
  if (product && reviews) {
    queryClient.setQueryData(reviewsQuery(product._id).queryKey, { pages: [reviews], pageParams: [null] });
  }
  if (infoPage) queryClient.setQueryData(infoPageQuery(infoPage.slug).queryKey, infoPage);
}
