import * as z from 'zod/mini';
import { role, session, user } from './accounts.ts';
import { adminOrder } from './admin-orders.ts';
import { dataResponse, type Endpoints, forAdmins, listResponse, okResponse } from './endpoint.ts';
import { reason } from './inventory.ts';
import { dayRange, page, pageQuery } from './paging.ts';
import { dollars, idParams, timestamp } from './text.ts';
import { twoFactorStatus } from './two-factor.ts';

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

export const alertKind = z.enum([
  'unknown-payment',
  'payment-mismatch',
  'payment-not-found',
  'not-delivered',
  'delivered-without-payment',
  'refund-failed',
  'partial-refund',
  'refunded-twice',
  'held-back',
  'unreadable-item',
  'unreadable-file',
  'dispute',
  'inquiry',
  'fraud-warning',
  'dispute-lost',
  'dispute-lost-in-part',
  'dispute-reversed',
]);
export type AlertKind = z.infer<typeof alertKind>;

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

export const adminEndpoints = {
  'GET /admin/alerts': forAdmins('Open alerts, newest first: at most 50, and how many more there are', {
    output: z.extend(listResponse(adminAlert), { more: z.int() }),
  }),
  'POST /admin/alerts/:id/acknowledge': forAdmins(
    'Acknowledge an alert with a reason, which is recorded; it is not raised again for the same subject',
    { params: idParams, body: z.object({ reason }), output: okResponse },
  ),
  'GET /admin/users': forAdmins('Users, newest first', { query: z.object(pageQuery), output: page(adminUser) }),
  'GET /admin/users/:id': forAdmins('One user with orders, sessions and two-factor state', {
    params: idParams,
    output: dataResponse(adminUserPage),
  }),
  'PUT /admin/users/:id/role': forAdmins(
    'Grant or revoke the administrator role, never of the last administrator; ends their sessions',
    {
      params: idParams,
      body: z.object({ role }),
      errors: ['REAUTHENTICATION_REQUIRED', 'LAST_ADMIN'],
      output: dataResponse(adminUserPage),
    },
  ),
  'PUT /admin/users/:id/block': forAdmins('Block a user, which ends all sessions, or unblock the user', {
    params: idParams,
    body: z.object({ blocked: z.boolean(), reason: z.optional(reason) }),
    errors: ['REAUTHENTICATION_REQUIRED'],
    output: dataResponse(adminUserPage),
  }),
  'GET /admin/audit-log': forAdmins('The audit log, newest first', {
    query: z.object({ ...pageQuery, ...dayRange }),
    output: page(auditEntry),
  }),
} as const satisfies Endpoints;
