import * as z from 'zod/mini';
import {
  acknowledgeBody,
  adminAlert,
  adminStats,
  adminUserPage,
  adminUsersPage,
  adminUsersQuery,
  auditPage,
  auditQuery,
  updateBlockBody,
  updateRoleBody,
  userParams,
} from './admin.ts';
import { lowStockEntry, reportKind, reportQuery, sales, salesQuery } from './admin-catalog.ts';
import { adminCatalogEndpoints } from './admin-catalog-endpoints.ts';
import {
  adminOrderPage,
  adminOrdersPage,
  adminOrdersQuery,
  refundOrderBody,
  replaceItemBody,
  updateOrderStatusBody,
} from './admin-orders.ts';
import { dataResponse, type Endpoints, listResponse, okResponse } from './endpoint.ts';
import { id } from './text.ts';

const params = z.object({ id });

/** The part of the contract that only administrators use. */
export const adminEndpoints = {
  'GET /admin/stats': {
    access: 'admin',
    summary: 'The figures of the dashboard, with their trends',
    output: dataResponse(adminStats),
  },
  'GET /admin/sales': {
    access: 'admin',
    summary: 'Revenue and orders by day, and what sold best',
    query: salesQuery,
    output: dataResponse(sales),
  },
  'GET /admin/low-stock': {
    access: 'admin',
    summary: 'Products that run out soon',
    output: listResponse(lowStockEntry),
  },
  'GET /admin/alerts': {
    access: 'admin',
    summary: 'What needs a person, newest first; at most 50',
    output: listResponse(adminAlert),
  },
  'POST /admin/alerts/:id/acknowledge': {
    access: 'admin',
    summary:
      'Take an alert off the dashboard, with the reason on record; it is not raised again for the same subject',
    params,
    body: acknowledgeBody,
    output: okResponse,
  },
  'GET /orders': {
    access: 'admin',
    summary: 'Orders of physical goods, newest first',
    query: adminOrdersQuery,
    output: adminOrdersPage,
  },
  'GET /admin/digital-orders': {
    access: 'admin',
    summary: 'Orders of digital goods, newest first',
    query: adminOrdersQuery,
    output: adminOrdersPage,
  },
  'GET /admin/orders': {
    access: 'admin',
    summary: 'Orders of both kinds, newest first',
    query: adminOrdersQuery,
    output: adminOrdersPage,
  },
  'GET /admin/orders/:id': {
    access: 'admin',
    summary: 'One order with its timeline, payment, mails and what may be done to it',
    params,
    output: dataResponse(adminOrderPage),
  },
  'PUT /admin/orders/:id/status': {
    access: 'admin',
    summary: 'Ship, deliver or cancel an order; 409 with what is allowed otherwise',
    params,
    body: updateOrderStatusBody,
    errors: ['TRANSITION_REFUSED', 'REFUND_REFUSED', 'OUT_OF_STOCK'],
    output: dataResponse(adminOrderPage),
  },
  'POST /admin/orders/:id/refund': {
    access: 'admin',
    summary: 'Give money back, in full or for units of lines, and withdraw their goods',
    params,
    body: refundOrderBody,
    errors: ['REFUND_REFUSED'],
    output: dataResponse(adminOrderPage),
  },
  'POST /admin/orders/:id/replace-item': {
    access: 'admin',
    summary: 'Deliver another item for a faulty one under warranty; the faulty one is burnt',
    params,
    body: replaceItemBody,
    errors: ['ITEM_NOT_AVAILABLE', 'OUT_OF_STOCK'],
    output: dataResponse(adminOrderPage),
  },
  'POST /admin/orders/:id/resend-mail': {
    access: 'admin',
    summary: 'Send the order’s mail again',
    params,
    errors: ['TRANSITION_REFUSED'],
    output: okResponse,
  },
  'GET /admin/users': {
    access: 'admin',
    summary: 'Users, newest first',
    query: adminUsersQuery,
    output: adminUsersPage,
  },
  'GET /admin/users/:id': {
    access: 'admin',
    summary: 'One user with orders, sessions and two-factor state',
    params: userParams,
    output: dataResponse(adminUserPage),
  },
  'PUT /admin/users/:id/role': {
    access: 'admin',
    summary: 'Make or unmake an administrator, never the last; ends their sessions',
    params: userParams,
    body: updateRoleBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'LAST_ADMIN'],
    output: dataResponse(adminUserPage),
  },
  'PUT /admin/users/:id/block': {
    access: 'admin',
    summary: 'Block a user, which ends their sessions, or let them in again',
    params: userParams,
    body: updateBlockBody,
    errors: ['REAUTHENTICATION_REQUIRED'],
    output: dataResponse(adminUserPage),
  },
  'GET /admin/reports/:kind': {
    access: 'admin',
    summary: 'A report as CSV, streamed',
    params: z.object({ kind: reportKind }),
    query: reportQuery,
    file: 'text/csv',
    output: okResponse,
  },
  'GET /admin/audit-log': {
    access: 'admin',
    summary: 'Who did what to what, newest first',
    query: auditQuery,
    output: auditPage,
  },

  ...adminCatalogEndpoints,
} as const satisfies Endpoints;
