import * as z from 'zod/mini';
import { dataResponse, type Endpoints, forAll, success } from './endpoint.ts';

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

export const contentEndpoints = {
  'GET /shop': forAll('What the browser must know of this shop', { output: dataResponse(shop) }),
  'GET /location': forAll('From which country this visitor comes; empty where that is unknown', {
    personal: true,
    output: z.extend(location, { success }),
  }),
  'GET /info-pages/:slug': forAll('One information page', {
    params: z.object({ slug: infoSlug }),
    output: dataResponse(infoPage),
  }),
} as const satisfies Endpoints;
