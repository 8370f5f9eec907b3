import * as z from 'zod/mini';
import {
  claimBody,
  detailsAnswer,
  detailsBody,
  forgotPasswordBody,
  loginAnswer,
  loginBody,
  passwordAnswer,
  passwordBody,
  reauthenticateBody,
  registerBody,
  resetPasswordBody,
  session,
  signedIn,
  user,
} from './accounts.ts';
import { addToCartBody, cartEntry, setCartQuantityBody } from './cart.ts';
import { dataResponse, type Endpoints, listResponse, okResponse } from './endpoint.ts';
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
  'POST /auth/login': {
    access: 'public',
    summary: 'Sign in, in one step or, with two-factor, in two',
    body: loginBody,
    errors: ['INVALID_CREDENTIALS', 'INVALID_CODE', 'UNAUTHENTICATED', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: loginAnswer,
  },
  'POST /auth/register': {
    access: 'public',
    summary: 'Make an account without buying, where the shop allows it; else 403',
    body: registerBody,
    errors: ['REGISTRATION_CLOSED', 'EMAIL_TAKEN', 'RATE_LIMITED'],
    output: signedIn,
  },
  'POST /auth/logout': {
    access: 'customer',
    summary: 'End this session',
    output: okResponse,
  },
  'GET /auth/me': {
    access: 'customer',
    summary: 'Who is signed in',
    output: dataResponse(user),
  },
  'PUT /auth/updatedetails': {
    access: 'customer',
    summary: 'Change my details; a new e-mail counts once the link mailed to it is clicked',
    body: detailsBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'RATE_LIMITED'],
    output: detailsAnswer,
  },
  'PUT /auth/updatepassword': {
    access: 'customer',
    summary: 'Change my password and end my other sessions',
    body: passwordBody,
    errors: ['RATE_LIMITED'],
    output: passwordAnswer,
  },
  'POST /auth/forgotpassword': {
    access: 'public',
    summary: 'Mail a link for a new password; the same answer whether or not the address is known',
    body: forgotPasswordBody,
    errors: ['RATE_LIMITED'],
    output: okResponse,
  },
  'POST /auth/resetpassword': {
    access: 'public',
    summary: 'Set a new password by the mailed link and end all sessions; answers whose it is',
    body: resetPasswordBody,
    errors: ['LINK_INVALID', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: dataResponse(z.object({ email })),
  },
  'POST /auth/reauthenticate': {
    access: 'customer',
    summary:
      'Prove password or code again in this session, for what is refused with REAUTHENTICATION_REQUIRED',
    body: reauthenticateBody,
    errors: ['INVALID_CODE', 'TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
    output: okResponse,
  },
  'POST /auth/claim': {
    access: 'public',
    summary: 'Prove an e-mail by the link mailed to it and set a password',
    body: claimBody,
    errors: ['LINK_INVALID', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: signedIn,
  },
  'GET /auth/sessions': {
    access: 'customer',
    summary: 'Where I am signed in, the latest first',
    output: listResponse(session),
  },
  'DELETE /auth/sessions': {
    access: 'customer',
    summary: 'Sign out everywhere else',
    output: okResponse,
  },
  'DELETE /auth/sessions/:id': {
    access: 'customer',
    summary: 'Sign out one device',
    params: z.object({ id }),
    output: okResponse,
  },

  'GET /auth/2fa/status': {
    access: 'customer',
    summary: 'Whether two-factor is on, and how many backup codes are left',
    output: dataResponse(twoFactorStatus),
  },
  'POST /auth/2fa/setup': {
    access: 'customer',
    summary: 'A new secret and backup codes, shown this once; nothing is asked until they are verified',
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_ENABLED'],
    output: dataResponse(twoFactorSetup),
  },
  'POST /auth/2fa/verify': {
    access: 'customer',
    summary: 'Turn two-factor on with the first code',
    body: verifyTwoFactorBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'TWO_FACTOR_ENABLED', 'INVALID_CODE'],
    output: okResponse,
  },
  'POST /auth/2fa/disable': {
    access: 'customer',
    summary: 'Turn two-factor off',
    body: disableTwoFactorBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
    output: okResponse,
  },
  'POST /auth/2fa/backup-codes': {
    access: 'customer',
    summary: 'Ten new backup codes in place of the old ones',
    body: disableTwoFactorBody,
    errors: ['REAUTHENTICATION_REQUIRED', 'TWO_FACTOR_NOT_SET_UP', 'RATE_LIMITED'],
    output: dataResponse(backupCodes),
  },

  'GET /users/cart': {
    access: 'customer',
    summary: 'The cart that follows me between devices',
    output: listResponse(cartEntry),
  },
  'POST /users/cart': {
    access: 'customer',
    summary: 'Put units of a product into my cart',
    body: addToCartBody,
    errors: ['NOT_FOUND', 'OUT_OF_STOCK'],
    output: listResponse(cartEntry),
  },
  'PUT /users/cart/:id': {
    access: 'customer',
    summary: 'Set the units of a product in my cart',
    params: z.object({ id }),
    body: setCartQuantityBody,
    errors: ['OUT_OF_STOCK'],
    output: listResponse(cartEntry),
  },
  'DELETE /users/cart/:id': {
    access: 'customer',
    summary: 'Take a product out of my cart',
    params: z.object({ id }),
    output: listResponse(cartEntry),
  },
  'DELETE /users/cart': {
    access: 'customer',
    summary: 'Empty my cart',
    output: listResponse(cartEntry),
  },

  'POST /order-lookup/guest': {
    access: 'public',
    summary: 'Mail a one-time code for an order; the same answer whether or not there is one',
    body: orderLookupBody,
    errors: ['RATE_LIMITED'],
    output: dataResponse(orderLookupAsked),
  },
  'POST /order-lookup/guest/open': {
    access: 'public',
    summary: 'Open that order with the code',
    body: openLookupBody,
    errors: ['INVALID_CODE', 'RATE_LIMITED'],
    output: dataResponse(openedOrder),
  },
} as const satisfies Endpoints;
