import { orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { clientOf, networkOf, readSecretCookie } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { setGrantCookie } from '../files/send-file.ts';
import { grantToLookup, lookUpOrder, OPENED_MS, openLookup } from './look-up-order.ts';

// Gives access only to the files of the order that the browser has opened.
const COOKIE = 'lookup';
const DOWNLOAD_PATH = '/api/order-lookup/guest/download';

export function orderLookupRoutes(route: Route, deps: Deps): void {
  route('POST /order-lookup/guest', async ({ body, request }) => {
    await deps.limits.count('order-lookup', { address: request.ip });
    return { data: await lookUpOrder(deps, { ...body, network: networkOf(request.ip) }) };
  });

  route('POST /order-lookup/guest/open', async ({ body, request, reply }) => {
    const { opened, secret } = await openLookup(deps, { ...body, client: clientOf(request) });
    reply.setCookie(COOKIE, `${body.lookupId}.${secret}`, { path: DOWNLOAD_PATH, maxAge: OPENED_MS / 1_000 });
    return { data: opened };
  });

  route('POST /order-lookup/guest/download', async ({ body, request, reply }) => {
    await deps.limits.countRequest('download', { address: request.ip });
    const cookie = orNotFound(readSecretCookie(request, COOKIE), 'Please open the order with a new code');
    const { id: lookupId, secret } = cookie;
    const grant = await grantToLookup(deps, { ...body, lookupId, secret, client: clientOf(request) });
    return { data: setGrantCookie(deps, reply, grant) };
  });
}
