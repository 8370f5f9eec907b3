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
import { adminAddresses } from './admin-addresses.ts';
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
import { answer, done, endpoint, list } from './endpoint.ts';
import { id } from './text.ts';

const params = z.object({ id });

/** The part of the contract that only administrators use. */
export const adminEndpoints = {
  getAdminStats: endpoint({
    ...adminAddresses.getAdminStats,
    access: 'admin',
    summary: 'The figures of the dashboard, with their trends',
    output: answer(adminStats),
  }),
  getSales: endpoint({
    ...adminAddresses.getSales,
    access: 'admin',
    summary: 'Revenue and orders by day, and what sold best',
    query: salesQuery,
    output: answer(sales),
  }),
  listLowStock: endpoint({
    ...adminAddresses.listLowStock,
    access: 'admin',
    summary: 'Products that run out soon',
    output: list(lowStockEntry),
  }),
  listAlerts: endpoint({
    ...adminAddresses.listAlerts,
    access: 'admin',
    summary: 'What needs a person, newest first; at most 50',
    output: list(adminAlert),
  }),
  acknowledgeAlert: endpoint({
    ...adminAddresses.acknowledgeAlert,
    access: 'admin',
    summary:
      'Take an alert off the dashboard, with the reason on record; it is not raised again for the same subject',
    params,
    body: acknowledgeBody,
    output: done,
  }),
  listAllPhysicalOrders: endpoint({
    ...adminAddresses.listAllPhysicalOrders,
    access: 'admin',
    summary: 'Orders of physical goods, newest first',
    query: adminOrdersQuery,
    output: adminOrdersPage,
  }),
  listAllDigitalOrders: endpoint({
    ...adminAddresses.listAllDigitalOrders,
    access: 'admin',
    summary: 'Orders of digital goods, newest first',
    query: adminOrdersQuery,
    output: adminOrdersPage,
  }),
  listAdminOrders: endpoint({
    ...adminAddresses.listAdminOrders,
    access: 'admin',
    summary: 'Orders of both kinds, newest first',
    query: adminOrdersQuery,
    output: adminOrdersPage,
  }),
  getAdminOrder: endpoint({
    ...adminAddresses.getAdminOrder,
    access: 'admin',
    summary: 'One order with its timeline, payment, mails and what may be done to it',
    params,
    output: answer(adminOrderPage),
  }),
  updateOrderStatus: endpoint({
    ...adminAddresses.updateOrderStatus,
    access: 'admin',
    summary: 'Ship, deliver or cancel an order; 409 with what is allowed otherwise',
    params,
    body: updateOrderStatusBody,
    errors: ['TRANSITION_REFUSED', 'REFUND_REFUSED', 'OUT_OF_STOCK'],
    output: answer(adminOrderPage),
  }),
  refundOrder: endpoint({
    ...adminAddresses.refundOrder,
    access: 'admin',
    summary: 'Give money back, in full or for units of lines, and withdraw their goods',
    params,
    body: refundOrderBody,
    errors: ['REFUND_REFUSED'],
    output: answer(adminOrderPage),
  }),
  replaceItem: endpoint({
    ...adminAddresses.replaceItem,
    access: 'admin',
    summary: 'Deliver another item for a faulty one under warranty; the faulty one is burnt',
    params,
    body: replaceItemBody,
    errors: ['ITEM_NOT_AVAILABLE', 'OUT_OF_STOCK'],
    output: answer(adminOrderPage),
  }),
  resendOrderMail: endpoint({
    ...adminAddresses.resendOrderMail,
    access: 'admin',
    summary: 'Send the order’s mail again',
    params,
    errors: ['TRANSITION_REFUSED'],
    output: done,
  }),
  listUsers: endpoint({
    ...adminAddresses.listUsers,
    access: 'admin',
    summary: 'Users, newest first',
    query: adminUsersQuery,
    output: adminUsersPage,
  }),
  getUser: endpoint({
    ...adminAddresses.getUser,
    access: 'admin',
    summary: 'One user with orders, sessions and two-factor state',
    params: userParams,
    output: answer(adminUserPage),
  }),
  updateRole: endpoint({
    ...adminAddresses.updateRole,
    access: 'admin',
    summary: 'Make or unmake an administrator, never the last; ends their sessions',
    params: userParams,
    body: updateRoleBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'LAST_ADMIN'],
    output: answer(adminUserPage),
  }),
  updateBlock: endpoint({
    ...adminAddresses.updateBlock,
    access: 'admin',
    summary: 'Block a user, which ends their sessions, or let them in again',
    params: userParams,
    body: updateBlockBody,
    errors: ['REAUTHENTICATION_REQUIRED'],
    output: answer(adminUserPage),
  }),
  getReport: endpoint({
    ...adminAddresses.getReport,
    access: 'admin',
    summary: 'A report as CSV, streamed',
    params: z.object({ kind: reportKind }),
    query: reportQuery,
    file: 'text/csv',
    output: done,
  }),
  listAuditLog: endpoint({
    ...adminAddresses.listAuditLog,
    access: 'admin',
    summary: 'Who did what to what, newest first',
    query: auditQuery,
    output: auditPage,
  }),

  ...adminCatalogEndpoints,
} as const;
