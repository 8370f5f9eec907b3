import { api } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Route } from '../../platform/http/route.ts';
import type { CatalogAnswers } from './catalog-answers.ts';

export function catalogRoutes(route: Route, catalog: CatalogAnswers): void {
  route(api.listDigitalProducts, ({ query }) => catalog.list(query));

  route(api.listCategories, () => catalog.categories());

  route(api.getDigitalProduct, async ({ params }) => {
    const product = await catalog.findProduct(params.id);
    if (!product) throw new AppError('NOT_FOUND', 'Product not found');
    return { data: product };
  });
}
