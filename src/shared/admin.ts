import * as z from 'zod/mini';
import { role, session, user } from './accounts.ts';
import { adminOrder } from './admin-orders.ts';
import { productKind } from './catalog.ts';
import { DAY_MS } from './durations.ts';
import { dataResponse, type Endpoints, forAdmins, listResponse, okResponse } from './endpoint.ts';
import { formatCount } from './format.ts';
import { reason } from './inventory.ts';
import { dayRange, page, pageQuery } from './paging.ts';
import { dollars, id, idParams, timestamp } from './text.ts';
import { twoFactorStatus } from './two-factor.ts';

/** Change in per cent against the 30 days before (trendPercent); null if only the earlier value was 0. */
const trend = z.nullable(z.number());

const adminStats = z.object({
  /** Payments less refunds, in dollars. */
  totalRevenue: dollars,
  totalOrders: z.int(),
  totalUsers: z.int(),
  totalProducts: z.int(),
  totalDigitalProducts: z.int(),
  totalPhysicalProducts: z.int(),
  pendingOrders: z.int(),
  activeProducts: z.int(),
  lowStockItems: z.int(),
  /** Problem reports that the shop has to answer. */
  openProblemReports: z.int(),
  unreadNotices: z.int(),
  activeUsers: z.int(),
  pendingReviews: z.int(),
  trends: z.object({ revenue: trend, orders: trend, users: trend, products: trend }),
});
export type AdminStats = z.infer<typeof adminStats>;

const productInList = z.object({
  product: id,
  kind: productKind,
  name: z.string(),
  image: z.string(),
  category: z.string(),
});

export const sales = z.object({
  /** Every day of the period in the shop's time zone, oldest first; what was refunded since is not counted. */
  days: z.array(z.object({ day: z.string(), revenue: dollars, orders: z.int() })),
  /** Best-selling products of the period, by units; recounted every few minutes. */
  bestSellers: z.array(z.extend(productInList, { units: z.int(), revenue: dollars })),
});
export type Sales = z.infer<typeof sales>;

/** An active product that is low on stock. The list begins with the products that run out first. */
const lowStockEntry = z.extend(productInList, {
  available: z.int(),
  soldLast30Days: z.int(),
  /** Days that the stock lasts at the sales rate of the last 30 days; null if nothing was sold. */
  daysOfCover: z.nullable(z.number()),
});
export type LowStockEntry = z.infer<typeof lowStockEntry>;

const reportKind = z.enum(['orders', 'sales', 'tax']);
export type ReportKind = z.infer<typeof reportKind>;

const adminUser = z.extend(user, {
  orderCount: z.int(),
  /** Payments less refunds, in dollars. */
  totalSpent: dollars,
  blockedAt: z.nullable(timestamp),
  blockReason: z.nullable(z.string()),
});
export type AdminUser = z.infer<typeof adminUser>;

const adminUserPage = z.extend(adminUser, {
  twoFactor: twoFactorStatus,
  sessions: z.array(session),
  /** The newest orders. */
  orders: z.array(adminOrder),
});
export type AdminUserPage = z.infer<typeof adminUserPage>;

export const alertTitles = {
  'unknown-payment': 'Payment without an order',
  'payment-mismatch': 'Payment differs from its order',
  'payment-not-found': 'Payment not found at the provider',
  'not-delivered': 'Paid order not delivered',
  'delivered-without-payment': 'Delivered without a payment',
  'refund-failed': 'Refund failed',
  'partial-refund': 'Part refunded at the provider',
  'refunded-twice': 'More given back than was paid',
  'held-back': 'Order of a restored backup held back',
  'unreadable-item': 'Item cannot be read',
  'unreadable-file': 'File cannot be read',
  dispute: 'Payment disputed with the bank',
  inquiry: 'Bank inquires about a payment',
  'fraud-warning': 'Bank warns of fraud',
  'dispute-lost': 'Dispute lost',
  'dispute-lost-in-part': 'Dispute of a part lost',
  'dispute-reversed': 'Lost dispute won after all',
} as const;
export type AlertKind = keyof typeof alertTitles;
export const alertKind = z.enum(Object.keys(alertTitles) as AlertKind[]);

const adminAlert = z.object({
  _id: z.string(),
  kind: alertKind,
  subject: z.string(),
  orderId: z.nullable(z.string()),
  /** Name of the product whose item or file cannot be read. */
  product: z.nullable(z.string()),
  raisedAt: timestamp,
});
export type AdminAlert = z.infer<typeof adminAlert>;

const auditEntry = z.object({
  _id: z.string(),
  at: timestamp,
  /** E-mail of the administrator, or the command that did it. */
  actor: z.string(),
  ip: z.string(),
  action: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  /** Never contains a secret. */
  summary: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

const answersUser = { params: idParams, output: dataResponse(adminUserPage) } as const;

export const adminEndpoints = {
  'GET /admin/stats': forAdmins('The figures of the dashboard, with their trends', {
    output: dataResponse(adminStats),
  }),
  'GET /admin/sales': forAdmins('Revenue and orders by day, and best sellers', {
    query: z.object({ days: z.optional(z.enum(['7', '30', '90'])) }),
    output: dataResponse(sales),
  }),
  'GET /admin/low-stock': forAdmins('Products that run out soon', { output: listResponse(lowStockEntry) }),
  'GET /admin/reports/:kind': forAdmins('A report as CSV, streamed', {
    params: z.object({ kind: reportKind }),
    query: z.object(dayRange),
    file: 'text/csv',
    output: okResponse,
  }),
  'GET /admin/alerts': forAdmins('Open alerts, newest first: at most 50, and how many more there are', {
    output: z.extend(listResponse(adminAlert), { more: z.int() }),
  }),
  'POST /admin/alerts/:id/acknowledge': forAdmins(
    'Acknowledge an alert with a reason, which is recorded; it is not raised again for the same subject',
    { params: idParams, body: z.object({ reason }), output: okResponse },
  ),
  'GET /admin/users': forAdmins('Users, newest first', { query: z.object(pageQuery), output: page(adminUser) }),
  'GET /admin/users/:id': forAdmins('One user with orders, sessions and two-factor state', answersUser),
  'PUT /admin/users/:id/role': forAdmins(
    'Grant or revoke the administrator role, never of the last administrator; ends their sessions',
    { ...answersUser, body: z.object({ role }), errors: ['REAUTHENTICATION_REQUIRED', 'LAST_ADMIN'] },
  ),
  'PUT /admin/users/:id/block': forAdmins('Block a user, which ends all sessions, or unblock the user', {
    ...answersUser,
    body: z.object({ blocked: z.boolean(), reason: z.optional(reason) }),
    errors: ['REAUTHENTICATION_REQUIRED'],
  }),
  'GET /admin/audit-log': forAdmins('The audit log, newest first', {
    query: z.object({ ...pageQuery, ...dayRange }),
    output: page(auditEntry),
  }),
} as const satisfies Endpoints;

const TREND_MS = 30 * DAY_MS;

/** From `from`, up to but not including `to`. */
export type Period = { from: Date; to: Date };

/** Returns the last 30 days, of 24 hours each, and the 30 days before them. */
export function trendPeriods(now: Date): { current: Period; previous: Period } {
  const turn = new Date(now.getTime() - TREND_MS);
  return { current: { from: turn, to: now }, previous: { from: new Date(turn.getTime() - TREND_MS), to: turn } };
}

/** Returns the growth in per cent with one decimal, half away from zero. From 0: 0 without a change, else null. */
export function trendPercent({ current, previous }: { current: number; previous: number }): number | null {
  if (previous === 0) return current === 0 ? 0 : null;
  const tenths = ((current - previous) * 1000) / previous;
  // Adding 0 turns a negative zero into a plain one.
  return (Math.sign(tenths) * Math.round(Math.abs(tenths))) / 10 + 0;
}

/** Formats a trend: `+12.5%`, `-3.0%`, `+2,783.8%`, `0.0%`, or `New` for null. */
export function trendText(percent: number | null): string {
  if (percent === null) return 'New';
  return `${percent > 0 ? '+' : ''}${formatCount(percent, 1)}%`;
}
