import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAdmins, forAll, okResponse, success } from './endpoint.ts';
import { reason } from './inventory.ts';
import { requiredLine, timestamp } from './text.ts';

/** The part of the shop's configuration that the browser needs; it contains no secrets. */
export const shop = z.object({
  storeName: z.string(),
  contact: z.object({ address: z.string(), phone: z.string(), email: z.string() }),
  payments: z.object({ provider: z.enum(['test-mode', 'stripe']), publishableKey: z.string() }),
  /** Demo accounts for the hint on the login page; empty without demo data. */
  demoAccounts: z.array(z.object({ label: z.string(), email: z.string(), password: z.string() })),
  /** A demo that the public can reach: its dashboard is read-only, and a banner says so. */
  publicDemo: z.boolean(),
  /** Path of the page that shows the mails of the demo; null if mails are really sent, or without demo data. */
  mailbox: z.nullable(z.string()),
});
export type Shop = z.infer<typeof shop>;

/** The visitor's location by IP address, with the field names of common IP-location services. */
export const location = z.object({
  /** ISO 3166-1 alpha-2; empty if the country is unknown. */
  country_code: z.string(),
  country_name: z.string(),
  ip: z.string(),
  city: z.string(),
});
export type VisitorLocation = z.infer<typeof location>;

export const infoSlug = z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be the name of a page'));

export const infoPage = z.object({
  slug: infoSlug,
  title: z.string(),
  description: z.string(),
  /** Everything below the title. The server renders it from Markdown and escapes HTML in the Markdown. */
  html: z.string(),
});
export type InfoPage = z.infer<typeof infoPage>;

export const DEFAULT_CLOSED_MESSAGE =
  'The shop takes no new orders at the moment. What you have paid for is delivered. Please come back later.';

/** The message in cart and checkout while the shop is closed. */
export const closedText = requiredLine(300);

const closedShop = z.object({ since: timestamp, reason: z.string(), message: z.string() });

export const contentEndpoints = {
  'GET /shop': forAll('The settings of this shop that the browser needs', { output: dataResponse(shop) }),
  'GET /location': forAll('The country of this visitor; empty if unknown', {
    personal: true,
    output: z.extend(location, { success }),
  }),
  'GET /info-pages/:slug': forAll('One information page', {
    params: z.object({ slug: infoSlug }),
    output: dataResponse(infoPage),
  }),
  'GET /shop/closed': forAll('The message to buyers while the shop is closed; null while it is open', {
    limit: 'catalogue',
    output: dataResponse(z.object({ text: z.nullable(z.string()) })),
  }),
  'GET /admin/shop/closed': forAdmins('When and why the shop was closed; null while it is open', {
    output: dataResponse(z.nullable(closedShop)),
  }),
  'POST /admin/shop/close': forAdmins('Close the shop: no new payment can begin, but paid orders are delivered', {
    body: z.object({ reason, message: z.optional(closedText) }),
    output: okResponse,
  }),
  'POST /admin/shop/open': forAdmins('Take payments again', { body: z.object({ reason }), output: okResponse }),
} as const satisfies Endpoints;
