import type { Api } from '../../shared/api.ts';
import type { InputOf, OutputOf } from '../../shared/endpoint.ts';
import type { ErrorBody, ErrorCode } from '../../shared/errors.ts';
import { isolateNames, waitInWords } from '../../shared/format.ts';
import { learnShopTime } from './shop-clock.ts';
import { forgetSession, storage } from './storage.ts';

/** A failed call; its message is written for the user. */
export class CallError extends Error {
  /** The HTTP status, or 0 without a response. */
  readonly status: number;
  readonly code: ErrorCode | 'UNREACHABLE';
  /** The path of the rejected input, as in `orderItems.0.quantity`. */
  readonly field: string | undefined;
  /** The allowed values, if the server names them. */
  readonly allowed: readonly string[] | undefined;

  constructor(status: number, code: CallError['code'], message: string, body: Partial<ErrorBody> = {}) {
    super(message);
    this.name = 'CallError';
    this.status = status;
    this.code = code;
    this.field = body.field;
    this.allowed = body.allowed;
  }
}

/** The server's message for a failed call, or else `errorMessage`. */
export const messageOf = (failure: unknown, errorMessage: string): string =>
  failure instanceof CallError && failure.message !== '' ? isolateNames(failure.message) : errorMessage;

export const codeOf = (failure: unknown): CallError['code'] | undefined =>
  failure instanceof CallError ? failure.code : undefined;

/** Whether a retry may help: the response was lost or cut off, or the shop was busy or broken; it has not rejected the call. */
export const isTransient = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status < 400 || failure.status === 429 || failure.status >= 500);

interface Request {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  /** A blob is sent as it is, anything else as JSON. */
  body?: unknown;
}

type Name = keyof Api;
type FileName = { [N in Name]: Api[N] extends { file: unknown } ? N : never }[Name];
type UploadName = { [N in Name]: Api[N] extends { upload: unknown } ? N : never }[Name];

type Arguments<N extends Name> = keyof InputOf<Api[N]> extends never
  ? []
  : Record<string, never> extends InputOf<Api[N]>
    ? [input?: InputOf<Api[N]>]
    : [input: InputOf<Api[N]>];

function urlOf(template: string, { params = {}, query = {} }: Request): string {
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return `/api${path}${search.size > 0 ? `?${search}` : ''}`;
}

async function send(method: string, url: string, body: unknown, token: string | null): Promise<Response> {
  const isFile = body instanceof Blob;
  const headers = {
    Accept: 'application/json',
    ...(body !== undefined && { 'Content-Type': isFile ? body.type : 'application/json' }),
    ...(token !== null && { Authorization: `Bearer ${token}` }),
  };
  try {
    const content = body !== undefined && { body: isFile ? body : JSON.stringify(body) };
    return learnShopTime(await fetch(url, { method, credentials: 'same-origin', headers, ...content }));
  } catch {
    const message = 'We could not reach the shop. Please check your connection and try again.';
    throw new CallError(0, 'UNREACHABLE', message);
  }
}

const bodyOf = (response: Response): Promise<unknown> => response.json().catch(() => undefined);

function failureOf(response: Response, body: Partial<ErrorBody> | undefined): CallError {
  const seconds = Number(response.headers.get('Retry-After'));
  const slowDown =
    seconds > 60 ? `Please try again in ${waitInWords(seconds)}` : 'Please wait a moment before trying again';
  const message = response.status === 429 ? slowDown : (body?.message ?? '');
  return new CallError(response.status, body?.code ?? 'INTERNAL', message, body);
}

let goToLogin: () => void = () => window.location.assign('/login');

/** Sets the handler for a rejected session, so that the router can navigate without a page load. */
export function onSessionRefused(handler: () => void) {
  goToLogin = handler;
}

let confirmIdentity: () => Promise<boolean> = () => Promise.resolve(false);

/** Sets how the user's identity is confirmed before a call is repeated; false, or a throw, if it was not. */
export function onReauthenticationRequired(handler: () => Promise<boolean>) {
  confirmIdentity = handler;
}

const pathsWithoutLogin = [
  ...['/login', '/register', '/', '/checkout'],
  // For visitors without a session; some are opened by mailed links, which must not be lost.
  ...['/forgot-password', '/reset-password', '/claim', '/find-order', '/undo-email'],
];

/** Handles a 401 response: ends the session in this browser if the server rejected it. `token` was sent with the call. */
function forgetRefusedSession(url: string, { token, code }: { token: string | null; code: unknown }) {
  if (url.includes('/guest')) return;
  // The server rejected only the input, or the session has already ended in this browser.
  if (code === 'INVALID_CODE' || storage.token.read() !== token) return;
  if (pathsWithoutLogin.includes(window.location.pathname)) return;
  forgetSession();
  // This screen keeps the mailed link and asks for the login itself.
  if (window.location.pathname !== '/confirm-email') goToLogin();
}

/** The successful response to one call of the contract; throws CallError otherwise. */
async function request(name: Name, input: Request, isRepeated = false): Promise<Response> {
  const [method = '', template = ''] = name.split(' ');
  const url = urlOf(template, input);
  const token = storage.token.read();
  const response = await send(method, url, input.body, token);
  if (response.ok) return response;
  const refusal = (await bodyOf(response)) as Partial<ErrorBody> | undefined;
  if (response.status === 401) forgetRefusedSession(url, { token, code: refusal?.code });
  if (refusal?.code === 'REAUTHENTICATION_REQUIRED' && !isRepeated) {
    const isConfirmed = await confirmIdentity();
    // Another tab may have signed in to another account meanwhile.
    if (isConfirmed && storage.token.read() === token) return request(name, input, true);
  }
  throw failureOf(response, refusal);
}

async function ask<N extends Name>(name: N, input: Request): Promise<OutputOf<Api[N]>> {
  const response = await request(name, input);
  const body = (await bodyOf(response)) as OutputOf<Api[N]> | null | undefined;
  // Not the shop's response, e.g. of a network that asks for a login.
  if (body?.success !== true) throw failureOf(response, undefined);
  return body;
}

/** Makes one call of the contract, as in `call('GET /orders/myorders')`; returns its success body, throws CallError otherwise. */
export const call = <N extends Name>(name: N, ...[input]: Arguments<N>): Promise<OutputOf<Api[N]>> =>
  ask(name, input ?? {});

/** Makes a call whose body is a file; otherwise like `call`. */
export const uploadFile = <N extends UploadName>(
  name: N,
  file: Blob,
  ...[input]: Arguments<N>
): Promise<OutputOf<Api[N]>> => ask(name, { ...input, body: file });

/** Makes a call that returns a file. Returns the response before its body has arrived; throws CallError. */
export const openFile = <N extends FileName>(name: N, input: InputOf<Api[N]>): Promise<Response> =>
  request(name, input);

/** Makes a call while the page closes, without a session and without waiting for the response. */
export const beacon = <N extends Name>(name: N, body: InputOf<Api[N]> extends { body: infer B } ? B : never) =>
  navigator.sendBeacon(
    urlOf(name.slice('POST '.length), {}),
    new Blob([JSON.stringify(body)], { type: 'application/json' }),
  );
