import * as z from 'zod/mini';

/** What the browser must know of this shop's configuration; nothing in it is secret. */
export const shop = z.object({
  storeName: z.string(),
  contact: z.object({ address: z.string(), phone: z.string(), email: z.string() }),
  payments: z.object({
    provider: z.enum(['test-mode', 'stripe']),
    /** The provider's publishable key. */
    publishableKey: z.string(),
  }),
  /** The demo's accounts for the hint on the login page; empty where there is no demo data. */
  demoAccounts: z.array(z.object({ label: z.string(), email: z.string(), password: z.string() })),
  /** A demo that strangers reach: its dashboard is read-only, and a banner says so. */
  publicDemo: z.boolean(),
  /** Path of the page where a demo's mails are read; null where mail is really sent, or there is no demo data. */
  mailbox: z.nullable(z.string()),
});
export type Shop = z.infer<typeof shop>;
