import { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import type { Route } from '../../platform/http/route.ts';
import { makeEvidence } from './make-evidence.ts';

export function disputesRoutes(route: Route, deps: Deps): void {
  route('POST /admin/orders/:id/evidence', async ({ params: { id: orderId }, reply, actor }) => {
    const { name, page } = await makeEvidence(deps, { orderId, actor });
    reply.header('content-disposition', `attachment; filename="${name}"`);
    return Readable.from([page]);
  });
}
