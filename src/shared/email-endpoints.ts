import * as z from 'zod/mini';
import { confirmEmailBody, pendingEmail, undoEmailAnswer, undoEmailBody } from './accounts.ts';
import { dataResponse, type Endpoints, okResponse } from './endpoint.ts';
import { email } from './text.ts';

/** The part of the contract that proves and changes the e-mail of an account. */
export const emailEndpoints = {
  'POST /auth/verifyemail': {
    access: 'customer',
    summary: 'Mail a link that proves my address',
    errors: ['RATE_LIMITED'],
    output: okResponse,
  },
  'GET /auth/pendingemail': {
    access: 'customer',
    summary: 'The new e-mail that I asked for and have yet to confirm; null when there is none',
    output: dataResponse(z.nullable(pendingEmail)),
  },
  'POST /auth/pendingemail': {
    access: 'customer',
    summary: 'Mail the link to my new e-mail again; earlier links end',
    errors: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'RATE_LIMITED'],
    output: dataResponse(pendingEmail),
  },
  'DELETE /auth/pendingemail': {
    access: 'customer',
    summary: 'Keep my e-mail as it is; links to the new one end',
    output: okResponse,
  },
  'POST /auth/confirmemail': {
    access: 'customer',
    summary: 'Prove an address by the link mailed to it, signed in to the account that asked for the link',
    body: confirmEmailBody,
    errors: ['LINK_INVALID', 'FORBIDDEN', 'EMAIL_TAKEN', 'ACCOUNT_BLOCKED'],
    output: dataResponse(z.object({ email })),
  },
  'POST /auth/undoemail': {
    access: 'public',
    summary: 'Give an account its old address back by the link mailed there, and end all its sessions',
    body: undoEmailBody,
    errors: ['LINK_INVALID', 'INVALID_CODE', 'ACCOUNT_BLOCKED', 'RATE_LIMITED'],
    output: undoEmailAnswer,
  },
} as const satisfies Endpoints;
