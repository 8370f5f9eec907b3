import * as z from 'zod/mini';
import {
  claimBody,
  confirmEmailBody,
  detailsAnswer,
  detailsBody,
  forgotPasswordBody,
  loginAnswer,
  loginBody,
  passwordAnswer,
  passwordBody,
  registerBody,
  resetPasswordBody,
  session,
  signedIn,
  user,
} from './accounts.ts';
import { addresses } from './addresses.ts';
import { addToCartBody, cartEntry, setCartQuantityBody } from './cart.ts';
import { answer, done, endpoint, list } from './endpoint.ts';
import { openedOrder, openLookupBody, orderLookupAsked, orderLookupBody } from './order-lookup.ts';
import { email, id } from './text.ts';
import {
  backupCodes,
  disableTwoFactorBody,
  twoFactorSetup,
  twoFactorStatus,
  verifyTwoFactorBody,
} from './two-factor.ts';

/** The part of the contract that knows people: signing in, their details, two-factor, their cart, looking up an order. */
export const accountEndpoints = {
  login: endpoint({
    ...addresses.login,
    access: 'public',
    summary: 'Sign in, in one step or, with two-factor, in two',
    body: loginBody,
    output: loginAnswer,
  }),
  register: endpoint({
    ...addresses.register,
    access: 'public',
    summary: 'Make an account without buying, where the shop allows it; else 403',
    body: registerBody,
    output: signedIn,
  }),
  logout: endpoint({
    ...addresses.logout,
    access: 'customer',
    summary: 'End this session',
    output: done,
  }),
  getMe: endpoint({
    ...addresses.getMe,
    access: 'customer',
    summary: 'Who is signed in',
    output: answer(user),
  }),
  updateDetails: endpoint({
    ...addresses.updateDetails,
    access: 'customer',
    summary: 'Change my details; a new e-mail counts once the link mailed to it is clicked',
    body: detailsBody,
    output: detailsAnswer,
  }),
  updatePassword: endpoint({
    ...addresses.updatePassword,
    access: 'customer',
    summary: 'Change my password and end my other sessions',
    body: passwordBody,
    output: passwordAnswer,
  }),
  forgotPassword: endpoint({
    ...addresses.forgotPassword,
    access: 'public',
    summary: 'Mail a link for a new password; the same answer whether or not the address is known',
    body: forgotPasswordBody,
    output: done,
  }),
  resetPassword: endpoint({
    ...addresses.resetPassword,
    access: 'public',
    summary: 'Set a new password by the mailed link and end all sessions',
    body: resetPasswordBody,
    output: done,
  }),
  verifyEmail: endpoint({
    ...addresses.verifyEmail,
    access: 'customer',
    summary: 'Mail a link that proves my address',
    output: done,
  }),
  confirmEmail: endpoint({
    ...addresses.confirmEmail,
    access: 'customer',
    summary: 'Prove an address by the link mailed to it, signed in to the account that asked for the link',
    body: confirmEmailBody,
    output: answer(z.object({ email })),
  }),
  claimAccount: endpoint({
    ...addresses.claimAccount,
    access: 'public',
    summary: 'Prove an e-mail by the link mailed to it and set a password',
    body: claimBody,
    output: signedIn,
  }),
  listSessions: endpoint({
    ...addresses.listSessions,
    access: 'customer',
    summary: 'Where I am signed in, the latest first',
    output: list(session),
  }),
  endOtherSessions: endpoint({
    ...addresses.endOtherSessions,
    access: 'customer',
    summary: 'Sign out everywhere else',
    output: done,
  }),
  endSession: endpoint({
    ...addresses.endSession,
    access: 'customer',
    summary: 'Sign out one device',
    params: z.object({ id }),
    output: done,
  }),

  getTwoFactorStatus: endpoint({
    ...addresses.getTwoFactorStatus,
    access: 'customer',
    summary: 'Whether two-factor is on, and how many backup codes are left',
    output: answer(twoFactorStatus),
  }),
  setUpTwoFactor: endpoint({
    ...addresses.setUpTwoFactor,
    access: 'customer',
    summary: 'A new secret and backup codes, shown this once; nothing is asked until they are verified',
    output: answer(twoFactorSetup),
  }),
  verifyTwoFactor: endpoint({
    ...addresses.verifyTwoFactor,
    access: 'customer',
    summary: 'Turn two-factor on with the first code',
    body: verifyTwoFactorBody,
    output: done,
  }),
  disableTwoFactor: endpoint({
    ...addresses.disableTwoFactor,
    access: 'customer',
    summary: 'Turn two-factor off',
    body: disableTwoFactorBody,
    output: done,
  }),
  renewBackupCodes: endpoint({
    ...addresses.renewBackupCodes,
    access: 'customer',
    summary: 'Ten new backup codes in place of the old ones',
    body: disableTwoFactorBody,
    output: answer(backupCodes),
  }),

  getCart: endpoint({
    ...addresses.getCart,
    access: 'customer',
    summary: 'The cart that follows me between devices',
    output: list(cartEntry),
  }),
  addToCart: endpoint({
    ...addresses.addToCart,
    access: 'customer',
    summary: 'Put units of a product into my cart',
    body: addToCartBody,
    output: list(cartEntry),
  }),
  setCartQuantity: endpoint({
    ...addresses.setCartQuantity,
    access: 'customer',
    summary: 'Set the units of a product in my cart',
    params: z.object({ id }),
    body: setCartQuantityBody,
    output: list(cartEntry),
  }),
  removeFromCart: endpoint({
    ...addresses.removeFromCart,
    access: 'customer',
    summary: 'Take a product out of my cart',
    params: z.object({ id }),
    output: list(cartEntry),
  }),
  clearCart: endpoint({
    ...addresses.clearCart,
    access: 'customer',
    summary: 'Empty my cart',
    output: list(cartEntry),
  }),

  lookUpOrder: endpoint({
    ...addresses.lookUpOrder,
    access: 'public',
    summary: 'Mail a one-time code for an order; the same answer whether or not there is one',
    body: orderLookupBody,
    output: answer(orderLookupAsked),
  }),
  openLookup: endpoint({
    ...addresses.openLookup,
    access: 'public',
    summary: 'Open that order with the code',
    body: openLookupBody,
    output: answer(openedOrder),
  }),
} as const;
