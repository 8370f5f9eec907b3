import type { Deps } from '../../deps.ts';
import { createResponseCache } from '../../platform/http/response-cache.ts';
import type { Route } from '../../platform/http/route.ts';
import { closeShop, openShop } from './close-shop.ts';
import { findClosed } from './closing.queries.ts';

export function closingRoutes(route: Route, deps: Deps): void {
  const cached = createResponseCache(deps.clock);

  route('GET /shop/closed', () =>
    cached('closed', async () => ({ data: { text: (await findClosed(deps.db))?.message ?? null } })),
  );

  route('GET /admin/shop/closed', async () => {
    const closed = await findClosed(deps.db);
    return { data: closed ? { ...closed, since: closed.since.toISOString() } : null };
  });

  route('POST /admin/shop/close', ({ body, actor }) => closeShop(deps, { ...body, actor }));
  route('POST /admin/shop/open', ({ body, actor }) => openShop(deps, { ...body, actor }));
}
