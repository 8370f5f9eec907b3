/**
 * Path of every page, parameters as `:name`: the browser's router has a screen for each (src/web/routes.tsx), and the server
 * answers these with 200 and every other path with 404.
 */
export const pagePaths = [
  '/',
  '/digital-product/:id',
  '/checkout',
  '/orders',
  '/order-items/:orderId',
  '/profile',
  '/2fa-setup',
  '/admin',
  '/admin/products/new',
  '/admin/products/:id',
  '/admin/audit-log',
  '/admin/orders/:id',
  '/admin/users/:id',
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password',
  '/confirm-email',
  '/undo-email',
  '/find-order',
  '/claim',
  '/info/:slug',
] as const;

export type PagePath = (typeof pagePaths)[number];
