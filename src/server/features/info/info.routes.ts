import { api } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { findInfoPage } from './info-pages.ts';

export function infoRoutes(route: Route, { config }: Pick<Deps, 'config'>): void {
  route(api.getInfoPage, async ({ params }) => {
    const page = await findInfoPage(params.slug, config);
    if (!page) throw new AppError('NOT_FOUND', 'There is no such page');
    return { data: page };
  });
}
