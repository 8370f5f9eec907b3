import * as z from 'zod/mini';
import { role, session, user } from './accounts.ts';
import { adminOrder } from './admin-orders.ts';
import { reason } from './inventory.ts';
import { dayRange, page, pageQuery } from './paging.ts';
import { dollars, id, timestamp } from './text.ts';
import { twoFactorStatus } from './two-factor.ts';

/** Per cent against the 30 days before, as trendPercent says; null from nothing to something. */
const trend = z.nullable(z.number());

export const adminStats = z.object({
  /** Paid and not given back, in dollars. */
  totalRevenue: dollars,
  totalOrders: z.int(),
  totalUsers: z.int(),
  /** Digital and physical. */
  totalProducts: z.int(),
  totalDigitalProducts: z.int(),
  totalPhysicalProducts: z.int(),
  /** Shown as Processing. */
  pendingOrders: z.int(),
  activeProducts: z.int(),
  /** Active products with fewer than LOW_STOCK to sell. */
  lowStockItems: z.int(),
  /** Users seen in the last 30 days. */
  activeUsers: z.int(),
  trends: z.object({ revenue: trend, orders: trend, users: trend, products: trend }),
});
export type AdminStats = z.infer<typeof adminStats>;

export const adminUser = z.extend(user, {
  orderCount: z.int(),
  /** Paid and not given back, in dollars. */
  totalSpent: dollars,
  blockedAt: z.nullable(timestamp),
  /** Why, as an administrator wrote it; for administrators only. */
  blockReason: z.nullable(z.string()),
});
export type AdminUser = z.infer<typeof adminUser>;

export const adminUsersQuery = z.object(pageQuery);
export const adminUsersPage = page(adminUser);

export const adminUserPage = z.extend(adminUser, {
  twoFactor: twoFactorStatus,
  sessions: z.array(session),
  /** The newest of them. */
  orders: z.array(adminOrder),
});
export type AdminUserPage = z.infer<typeof adminUserPage>;

export const updateRoleBody = z.object({ role });
export const updateBlockBody = z.object({ blocked: z.boolean(), reason: z.optional(reason) });

/** What a person must look at. */
export const alertKind = z.enum([
  'unknown-payment',
  'payment-mismatch',
  'payment-not-found',
  'delivered-without-payment',
  'refund-failed',
  'partial-refund',
  'unreadable-item',
  'dispute',
]);
export type AlertKind = z.infer<typeof alertKind>;

export const adminAlert = z.object({
  _id: z.string(),
  kind: alertKind,
  /** What it is about, as in the id of a payment at the provider. */
  subject: z.string(),
  /** The order it names, which may not be there. */
  orderId: z.nullable(z.string()),
  raisedAt: timestamp,
});
export type AdminAlert = z.infer<typeof adminAlert>;
export const acknowledgeBody = z.object({ reason });

export const auditQuery = z.object({ ...pageQuery, ...dayRange });

/** Who did what to what, when and from where. */
export const auditEntry = z.object({
  _id: z.string(),
  at: timestamp,
  /** E-mail of the administrator, or the command that did it. */
  actor: z.string(),
  ip: z.string(),
  action: z.string(),
  subjectType: z.string(),
  subjectId: z.string(),
  /** In plain words; never a secret. */
  summary: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;
export const auditPage = page(auditEntry);

export const userParams = z.object({ id });
