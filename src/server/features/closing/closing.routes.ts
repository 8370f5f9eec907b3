import type { Deps } from '../../deps.ts';
import { createResponseCache } from '../../platform/http/response-cache.ts';
import type { Route } from '../../platform/http/route.ts';
import { maskTyped } from '../inventory/mask-secrets.ts';
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

  route('POST /admin/shop/close', async ({ body, actor }) => {
    const reason = await maskTyped(deps, actor, body.reason);
    const message = body.message && (await maskTyped(deps, actor, body.message));
    return closeShop(deps, { reason, message, actor });
  });
  route('POST /admin/shop/open', async ({ body, actor }) =>
    openShop(deps, { reason: await maskTyped(deps, actor, body.reason), actor }),
  );
}
