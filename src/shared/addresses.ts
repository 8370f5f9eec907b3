import { adminAddresses } from './admin-addresses.ts';
import type { Address } from './endpoint.ts';

/**
 * Method and path of every call, below /api, parameters as `:name`. The one part of the contract that the browser carries;
 * what goes in and out, and who may call, is in api.ts.
 */
export const addresses = {
  getShop: { method: 'GET', path: '/shop' },
  getLocation: { method: 'GET', path: '/location' },
  getInfoPage: { method: 'GET', path: '/info-pages/:slug' },

  listDigitalProducts: { method: 'GET', path: '/digital-products' },
  listCategories: { method: 'GET', path: '/digital-products/categories/list' },
  getDigitalProduct: { method: 'GET', path: '/digital-products/:id' },

  createPaymentIntent: { method: 'POST', path: '/digital-orders/create-payment-intent' },
  createGuestPaymentIntent: { method: 'POST', path: '/digital-orders/guest/create-payment-intent' },
  placeOrder: { method: 'POST', path: '/digital-orders' },
  placeGuestOrder: { method: 'POST', path: '/digital-orders/guest' },
  getCheckout: { method: 'GET', path: '/digital-orders/guest/checkout' },
  getPaymentStatus: { method: 'GET', path: '/digital-orders/guest/checkout/payment' },
  finishCheckout: { method: 'POST', path: '/digital-orders/guest/checkout' },
  leaveCheckout: { method: 'DELETE', path: '/digital-orders/guest/checkout' },
  abandonCheckout: { method: 'POST', path: '/digital-orders/guest/checkout/abandon' },
  getWaitingOrder: { method: 'GET', path: '/digital-orders/guest/waiting' },
  mailVerifyLink: { method: 'POST', path: '/digital-orders/guest/waiting/verify-link' },

  listDigitalOrders: { method: 'GET', path: '/digital-orders/myorders' },
  listPhysicalOrders: { method: 'GET', path: '/orders/myorders' },
  getOrderItems: { method: 'GET', path: '/digital-orders/:orderId/items' },

  login: { method: 'POST', path: '/auth/login' },
  register: { method: 'POST', path: '/auth/register' },
  logout: { method: 'POST', path: '/auth/logout' },
  getMe: { method: 'GET', path: '/auth/me' },
  updateDetails: { method: 'PUT', path: '/auth/updatedetails' },
  updatePassword: { method: 'PUT', path: '/auth/updatepassword' },
  forgotPassword: { method: 'POST', path: '/auth/forgotpassword' },
  resetPassword: { method: 'POST', path: '/auth/resetpassword' },
  verifyEmail: { method: 'POST', path: '/auth/verifyemail' },
  getPendingEmail: { method: 'GET', path: '/auth/pendingemail' },
  resendPendingEmail: { method: 'POST', path: '/auth/pendingemail' },
  cancelPendingEmail: { method: 'DELETE', path: '/auth/pendingemail' },
  confirmEmail: { method: 'POST', path: '/auth/confirmemail' },
  undoEmail: { method: 'POST', path: '/auth/undoemail' },
  reauthenticate: { method: 'POST', path: '/auth/reauthenticate' },
  claimAccount: { method: 'POST', path: '/auth/claim' },
  listSessions: { method: 'GET', path: '/auth/sessions' },
  endOtherSessions: { method: 'DELETE', path: '/auth/sessions' },
  endSession: { method: 'DELETE', path: '/auth/sessions/:id' },

  getTwoFactorStatus: { method: 'GET', path: '/auth/2fa/status' },
  setUpTwoFactor: { method: 'POST', path: '/auth/2fa/setup' },
  verifyTwoFactor: { method: 'POST', path: '/auth/2fa/verify' },
  disableTwoFactor: { method: 'POST', path: '/auth/2fa/disable' },
  renewBackupCodes: { method: 'POST', path: '/auth/2fa/backup-codes' },

  getCart: { method: 'GET', path: '/users/cart' },
  addToCart: { method: 'POST', path: '/users/cart' },
  setCartQuantity: { method: 'PUT', path: '/users/cart/:id' },
  removeFromCart: { method: 'DELETE', path: '/users/cart/:id' },
  clearCart: { method: 'DELETE', path: '/users/cart' },

  lookUpOrder: { method: 'POST', path: '/order-lookup/guest' },
  openLookup: { method: 'POST', path: '/order-lookup/guest/open' },

  ...adminAddresses,
} as const satisfies Record<string, Address>;
