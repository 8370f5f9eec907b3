import * as z from 'zod/mini';
import { productKind } from './catalog.ts';
import { dataResponse, type Endpoints, forAdmins, listResponse, okResponse } from './endpoint.ts';
import { dayRange } from './paging.ts';
import { dollars, id } from './text.ts';

/** Per cent against the 30 days before, as trendPercent says; null from nothing to something. */
const trend = z.nullable(z.number());

const adminStats = z.object({
  /** Paid and not given back, in dollars. */
  totalRevenue: dollars,
  totalOrders: z.int(),
  totalUsers: z.int(),
  totalProducts: z.int(),
  totalDigitalProducts: z.int(),
  totalPhysicalProducts: z.int(),
  pendingOrders: z.int(),
  activeProducts: z.int(),
  lowStockItems: z.int(),
  /** Problem reports that the shop is to answer. */
  openProblemReports: z.int(),
  unreadNotices: z.int(),
  activeUsers: z.int(),
  /** Reviews that wait for an administrator. */
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
  /** Each day of the span, oldest first, in the shop's time zone; what was refunded since is left out. */
  days: z.array(z.object({ day: z.string(), revenue: dollars, orders: z.int() })),
  /** Of the span, by units; counted every few minutes. */
  bestSellers: z.array(z.extend(productInList, { units: z.int(), revenue: dollars })),
});
export type Sales = z.infer<typeof sales>;

/** Active products that are low on stock, those that run out first at the top. */
const lowStockEntry = z.extend(productInList, {
  available: z.int(),
  soldLast30Days: z.int(),
  /** For how long the stock lasts at the pace of the last 30 days; null when nothing was sold. */
  daysOfCover: z.nullable(z.number()),
});
export type LowStockEntry = z.infer<typeof lowStockEntry>;

export const reportKind = z.enum(['orders', 'sales', 'tax']);
export type ReportKind = z.infer<typeof reportKind>;

export const statisticsEndpoints = {
  'GET /admin/stats': forAdmins('The figures of the dashboard, with their trends', {
    output: dataResponse(adminStats),
  }),
  'GET /admin/sales': forAdmins('Revenue and orders by day, and what sold best', {
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
} as const satisfies Endpoints;
