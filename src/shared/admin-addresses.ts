import type { Address } from './endpoint.ts';

/** Method and path of what administrators call. */
export const adminAddresses = {
  getAdminStats: { method: 'GET', path: '/admin/stats' },
  getSales: { method: 'GET', path: '/admin/sales' },
  listLowStock: { method: 'GET', path: '/admin/low-stock' },

  listAlerts: { method: 'GET', path: '/admin/alerts' },
  acknowledgeAlert: { method: 'POST', path: '/admin/alerts/:id/acknowledge' },

  listAllDigitalProducts: { method: 'GET', path: '/admin/digital-products' },
  getProductToEdit: { method: 'GET', path: '/admin/digital-products/:id' },
  createDigitalProduct: { method: 'POST', path: '/digital-products' },
  updateDigitalProduct: { method: 'PUT', path: '/digital-products/:id' },
  deleteDigitalProduct: { method: 'DELETE', path: '/digital-products/:id' },

  addInventory: { method: 'POST', path: '/digital-products/:id/inventory' },
  getInventory: { method: 'GET', path: '/digital-products/:id/inventory' },
  voidItem: { method: 'POST', path: '/digital-products/:id/inventory/:itemId/void' },
  revealItem: { method: 'POST', path: '/digital-products/:id/inventory/:itemId/reveal' },

  listPhysicalProducts: { method: 'GET', path: '/admin/products' },
  getPhysicalProduct: { method: 'GET', path: '/admin/products/:id' },
  createPhysicalProduct: { method: 'POST', path: '/admin/products' },
  updatePhysicalProduct: { method: 'PUT', path: '/admin/products/:id' },
  deletePhysicalProduct: { method: 'DELETE', path: '/admin/products/:id' },

  listAllPhysicalOrders: { method: 'GET', path: '/orders' },
  listAllDigitalOrders: { method: 'GET', path: '/admin/digital-orders' },
  listAdminOrders: { method: 'GET', path: '/admin/orders' },
  getAdminOrder: { method: 'GET', path: '/admin/orders/:id' },
  updateOrderStatus: { method: 'PUT', path: '/admin/orders/:id/status' },
  refundOrder: { method: 'POST', path: '/admin/orders/:id/refund' },
  replaceItem: { method: 'POST', path: '/admin/orders/:id/replace-item' },
  resendOrderMail: { method: 'POST', path: '/admin/orders/:id/resend-mail' },

  listUsers: { method: 'GET', path: '/admin/users' },
  getUser: { method: 'GET', path: '/admin/users/:id' },
  updateRole: { method: 'PUT', path: '/admin/users/:id/role' },
  updateBlock: { method: 'PUT', path: '/admin/users/:id/block' },

  getReport: { method: 'GET', path: '/admin/reports/:kind' },
  listAuditLog: { method: 'GET', path: '/admin/audit-log' },
  uploadImage: { method: 'POST', path: '/admin/images' },
} as const satisfies Record<string, Address>;
