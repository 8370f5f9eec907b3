import { AppError } from '../../../shared/errors.ts';
import type { Route } from '../../platform/http/route.ts';
import type { InfoPages } from './info-pages.ts';

export function infoRoutes(route: Route, infoPages: InfoPages): void {
  route('GET /info-pages/:slug', async ({ params }) => {
    const page = await infoPages.find(params.slug);
    if (!page) throw new AppError('NOT_FOUND', 'There is no such page');
    return { data: page };
  });
}
