import { accountEndpoints } from './accounts.ts';
import { adminEndpoints } from './admin.ts';
import { adminOrderEndpoints } from './admin-orders.ts';
import { cartEndpoints } from './cart.ts';
import { catalogEndpoints } from './catalog.ts';
import { checkoutEndpoints } from './checkout.ts';
import { contentEndpoints } from './content.ts';
import { deliveryEndpoints } from './delivery.ts';
import { type Endpoint, type Endpoints, type NamedEndpoint, type ValidatedOf, withName } from './endpoint.ts';
import { inventoryEndpoints } from './inventory.ts';
import { noticeEndpoints } from './notices.ts';
import { orderChangeEndpoints } from './order-changes.ts';
import { orderPageEndpoints } from './order-page.ts';
import { orderEndpoints } from './orders.ts';
import { problemReportEndpoints } from './problem-reports.ts';
import { productEndpoints } from './products.ts';
import { reviewEndpoints } from './reviews.ts';
import { shippingEndpoints } from './shipping.ts';
import { twoFactorEndpoints } from './two-factor.ts';

/**
 * Every call of the shop, by subject. The server registers its routes from these entries, the browser’s calls take
 * their types from them, and /api/docs prints them.
 */
export const api = {
  ...contentEndpoints,
  ...catalogEndpoints,
  ...checkoutEndpoints,
  ...shippingEndpoints,
  ...orderEndpoints,
  ...orderPageEndpoints,
  ...accountEndpoints,
  ...twoFactorEndpoints,
  ...cartEndpoints,
  ...productEndpoints,
  ...reviewEndpoints,
  ...inventoryEndpoints,
  ...adminOrderEndpoints,
  ...orderChangeEndpoints,
  ...problemReportEndpoints,
  ...deliveryEndpoints,
  ...noticeEndpoints,
  ...adminEndpoints,
} as const satisfies Endpoints;

export type Api = typeof api;

/** The body of a call as its handler gets it. */
export type BodyOf<N extends keyof Api> = ValidatedOf<Api[N]> extends { body: infer Body } ? Body : never;
/** The same for its query. */
export type SearchOf<N extends keyof Api> = ValidatedOf<Api[N]> extends { query: infer Query } ? Query : never;

export const endpoints: readonly NamedEndpoint[] = Object.entries<Endpoint>(api).map(([name, endpoint]) =>
  withName(name, endpoint),
);
