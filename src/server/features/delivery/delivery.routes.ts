import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { describeSharedContent, revealSharedContent, setSharedContent } from './shared-content.ts';

export function deliveryRoutes(route: Route, deps: Deps): void {
  route('GET /digital-products/:id/content', async ({ params }) => ({
    data: await describeSharedContent(deps.db, params.id),
  }));

  route('PUT /digital-products/:id/content', async ({ params, body, actor }) => ({
    data: await setSharedContent(deps, { productId: params.id, ...body, actor }),
  }));

  route('POST /digital-products/:id/content/reveal', async ({ params, body, viewer, actor }) => {
    const by = { ...viewer, actor };
    return { data: { content: await revealSharedContent(deps, { productId: params.id, ...body, ...by }) } };
  });
}
