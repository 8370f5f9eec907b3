import { AppError } from '../../../shared/errors.ts';
import type { Route } from '../../platform/http/route.ts';
import type { CatalogAnswers } from './catalog-answers.ts';

export function catalogRoutes(route: Route, catalog: CatalogAnswers): void {
  route('GET /digital-products', ({ query }) => catalog.list(query));

  route('GET /digital-products/categories/list', () => catalog.categories());

  route('GET /digital-products/:id', async ({ params }) => {
    const product = await catalog.findProduct(params.id);
    if (!product) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: product };
  });
}
