import * as z from 'zod/mini';
import {
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
import {
  adminDigitalProduct,
  adminDigitalProductsPage,
  adminProductsQuery,
  createDigitalProductBody,
  createPhysicalProductBody,
  lowStockEntry,
  physicalProduct,
  reportKind,
  reportQuery,
  sales,
  salesQuery,
  updateDigitalProductBody,
  updatePhysicalProductBody,
  uploadedImage,
} from './admin-catalog.ts';
import {
  adminOrderPage,
  adminOrdersPage,
  adminOrdersQuery,
  refundOrderBody,
  replaceItemBody,
  updateOrderStatusBody,
} from './admin-orders.ts';
import { answer, done, endpoint, list } from './endpoint.ts';
import {
  addInventoryAnswer,
  addInventoryBody,
  inventory,
  inventoryQuery,
  revealedItem,
  revealItemBody,
  voidItemBody,
} from './inventory.ts';
import { page } from './paging.ts';
import { id } from './text.ts';

const params = z.object({ id });
const itemParams = z.object({ id, itemId: id });

const UPLOAD_LIMIT_BYTES = 10 * 1024 * 1024;

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

  listAllDigitalProducts: endpoint({
    ...adminAddresses.listAllDigitalProducts,
    access: 'admin',
    summary: 'Digital products, active and inactive, newest first',
    query: adminProductsQuery,
    output: adminDigitalProductsPage,
  }),
  getProductToEdit: endpoint({
    ...adminAddresses.getProductToEdit,
    access: 'admin',
    summary: 'One digital product as it stands now',
    params,
    output: answer(adminDigitalProduct),
  }),
  createDigitalProduct: endpoint({
    ...adminAddresses.createDigitalProduct,
    access: 'admin',
    summary: 'Put a new digital product on sale',
    body: createDigitalProductBody,
    status: 201,
    output: answer(adminDigitalProduct),
  }),
  updateDigitalProduct: endpoint({
    ...adminAddresses.updateDigitalProduct,
    access: 'admin',
    summary: 'Change a digital product; 409 when it was changed since `version` was read',
    params,
    body: updateDigitalProductBody,
    output: answer(adminDigitalProduct),
  }),
  deleteDigitalProduct: endpoint({
    ...adminAddresses.deleteDigitalProduct,
    access: 'admin',
    summary:
      'Take a digital product off sale and withdraw its unsold items; what was sold stays with its buyers',
    params,
    output: done,
  }),

  addInventory: endpoint({
    ...adminAddresses.addInventory,
    access: 'admin',
    summary: 'Put secrets on sale, or only report what would become of them',
    params,
    body: addInventoryBody,
    bodyLimit: UPLOAD_LIMIT_BYTES,
    output: answer(addInventoryAnswer),
  }),
  getInventory: endpoint({
    ...adminAddresses.getInventory,
    access: 'admin',
    summary: 'Counts, and the items masked, newest first',
    params,
    query: inventoryQuery,
    output: z.extend(answer(inventory), { nextCursor: z.nullable(z.string()) }),
  }),
  voidItem: endpoint({
    ...adminAddresses.voidItem,
    access: 'admin',
    summary: 'Take an unsold item out of the stock for good',
    params: itemParams,
    body: voidItemBody,
    output: done,
  }),
  revealItem: endpoint({
    ...adminAddresses.revealItem,
    access: 'admin',
    summary: 'Read one secret, with a fresh two-factor code and a reason, on record',
    params: itemParams,
    body: revealItemBody,
    output: answer(revealedItem),
  }),

  listPhysicalProducts: endpoint({
    ...adminAddresses.listPhysicalProducts,
    access: 'admin',
    summary: 'Physical products, newest first',
    query: adminProductsQuery,
    output: page(physicalProduct),
  }),
  getPhysicalProduct: endpoint({
    ...adminAddresses.getPhysicalProduct,
    access: 'admin',
    summary: 'One physical product',
    params,
    output: answer(physicalProduct),
  }),
  createPhysicalProduct: endpoint({
    ...adminAddresses.createPhysicalProduct,
    access: 'admin',
    summary: 'Add a physical product',
    body: createPhysicalProductBody,
    status: 201,
    output: answer(physicalProduct),
  }),
  updatePhysicalProduct: endpoint({
    ...adminAddresses.updatePhysicalProduct,
    access: 'admin',
    summary: 'Change a physical product; 409 when it was changed since `version` was read',
    params,
    body: updatePhysicalProductBody,
    output: answer(physicalProduct),
  }),
  deletePhysicalProduct: endpoint({
    ...adminAddresses.deletePhysicalProduct,
    access: 'admin',
    summary: 'Mark a physical product inactive',
    params,
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
    output: answer(adminOrderPage),
  }),
  refundOrder: endpoint({
    ...adminAddresses.refundOrder,
    access: 'admin',
    summary: 'Give money back, in full or for units of lines, and withdraw their goods',
    params,
    body: refundOrderBody,
    output: answer(adminOrderPage),
  }),
  replaceItem: endpoint({
    ...adminAddresses.replaceItem,
    access: 'admin',
    summary: 'Deliver another item for a faulty one under warranty; the faulty one is burnt',
    params,
    body: replaceItemBody,
    output: answer(adminOrderPage),
  }),
  resendOrderMail: endpoint({
    ...adminAddresses.resendOrderMail,
    access: 'admin',
    summary: 'Send the order’s mail again',
    params,
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
    output: answer(adminUserPage),
  }),
  updateBlock: endpoint({
    ...adminAddresses.updateBlock,
    access: 'admin',
    summary: 'Block a user, which ends their sessions, or let them in again',
    params: userParams,
    body: updateBlockBody,
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
  uploadImage: endpoint({
    ...adminAddresses.uploadImage,
    access: 'admin',
    summary: 'Store a picture (PNG, JPEG or WebP), re-encoded and resized',
    upload: ['image/png', 'image/jpeg', 'image/webp'],
    bodyLimit: UPLOAD_LIMIT_BYTES,
    status: 201,
    output: answer(uploadedImage),
  }),
} as const;
