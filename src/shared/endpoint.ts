import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Name of a call: method and path below /api, with parameters as `:name`. */
type CallName = `${Method} /${string}`;

/** Who may make the call: anybody, any signed-in user, or administrators. */
export type Access = 'public' | 'customer' | 'admin';

export interface Endpoint {
  /** Required, so that an endpoint without an access rule does not compile. */
  access: Access;
  summary: string;
  /** The endpoint is public, but its response depends on the browser and must not be cached. */
  personal?: true;
  /** The rate limit of the caller's IP that counts this call. Calls with `admin` access always count, per user. */
  limit?: 'catalogue' | 'guest-order' | 'upload';
  params?: z.ZodMiniType<object>;
  query?: z.ZodMiniType<object>;
  body?: z.ZodMiniType<object>;
  output: z.ZodMiniType<object>;
  /** Error codes of the call, besides those of access, input and limit (src/server/platform/http/api-docs.ts). */
  errors?: readonly ErrorCode[];
  /** HTTP status of a success; 200 by default. */
  status?: 200 | 201;
  /** Maximum size of the request's body in bytes; 256 KiB by default. */
  bodyLimit?: number;
  /** The request's body is a file of one of these media types instead of JSON; the handler gets its bytes. */
  upload?: readonly string[];
  /** The response is a file of this media type, streamed, instead of JSON. */
  file?: 'text/csv' | 'text/html';
}

export type Endpoints = Readonly<Record<CallName, Endpoint>>;

type Entry = Omit<Endpoint, 'access' | 'summary'>;

const endpointFor =
  <A extends Access>(access: A) =>
  <const E extends Entry>(summary: string, entry: E & Record<Exclude<keyof E, keyof Entry>, never>) => ({
    access,
    summary,
    ...(entry as E),
  });

export const forAll = endpointFor('public');
/** Makes an entry for any signed-in user, administrators included. */
export const forCustomers = endpointFor('customer');
export const forAdmins = endpointFor('admin');

export interface NamedEndpoint extends Endpoint {
  name: CallName;
  method: Method;
  path: `/${string}`;
}

export function withName(name: string, endpoint: Endpoint): NamedEndpoint {
  const [method, path] = name.split(' ');
  return { ...endpoint, name, method, path } as NamedEndpoint;
}

/** Whether the response is the same for everybody, so that it may be cached and revalidated by its ETag. */
export const isShared = ({ access, method, personal }: NamedEndpoint): boolean =>
  access === 'public' && method === 'GET' && !personal;

export const success = z.literal(true);
export const okResponse = z.object({ success });
/** The shape of most responses: `{ success: true, data }`. */
export const dataResponse = <T extends z.ZodMiniType>(data: T) => z.object({ success, data });
export const listResponse = <T extends z.ZodMiniType>(entry: T) => dataResponse(z.array(entry));

type InputParts<E extends Endpoint> = {
  [P in 'params' | 'query' | 'body' as E extends { [K in P]: z.ZodMiniType } ? P : never]: E[P];
};

export type InputOf<E extends Endpoint> = {
  [P in keyof InputParts<E>]: InputParts<E>[P] extends z.ZodMiniType ? z.input<InputParts<E>[P]> : never;
};

export type ValidatedOf<E extends Endpoint> = {
  [P in keyof InputParts<E>]: InputParts<E>[P] extends z.ZodMiniType ? z.output<InputParts<E>[P]> : never;
};

export type OutputOf<E extends Endpoint> = z.output<E['output']>;

/** Maximum size of an uploaded list of items or picture. */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
