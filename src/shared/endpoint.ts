import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A call by what it is: method and path below /api, parameters as `:name`. */
export type CallName = `${Method} /${string}`;

/** Who may call: anybody, anybody signed in, or administrators. */
export type Access = 'public' | 'customer' | 'admin';

export interface Endpoint {
  /** Leaving it out does not compile. */
  access: Access;
  summary: string;
  /** A public response that still differs from browser to browser, and so may not be cached. */
  personal?: true;
  /** Counted against this limit of the caller's IP; calls of administrators are always counted. */
  limit?: 'catalogue';
  params?: z.ZodMiniType<object>;
  query?: z.ZodMiniType<object>;
  body?: z.ZodMiniType<object>;
  output: z.ZodMiniType<object>;
  /** How the call may fail, beyond what its access, input and limit imply (src/server/platform/http/api-docs.ts). */
  errors?: readonly ErrorCode[];
  /** Of a success; 200 by default. */
  status?: 200 | 201;
  /** Bytes that a request may have; 256 KiB by default. */
  bodyLimit?: number;
  /** The body is a file of one of these media types, handed over as bytes, instead of JSON. */
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
/** An entry for anybody signed in. */
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

/** Whether the response is the same for everybody, and so may be cached and revalidated by its ETag. */
export const isShared = ({ access, method, personal }: NamedEndpoint): boolean =>
  access === 'public' && method === 'GET' && !personal;

export const success = z.literal(true);
export const okResponse = z.object({ success });
/** `{ success: true, data }`, as most responses are. */
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

/** What a list of items or a picture may weigh. */
export const MAX_UPLOAD_BYTES = 10 * 1024 * 1024;
