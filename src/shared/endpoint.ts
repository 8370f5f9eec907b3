import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

/** Who may call: anybody, anybody signed in, or administrators. Leaving it out does not compile. */
export type Access = 'public' | 'customer' | 'admin';

export interface Address {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: `/${string}`;
}

export interface Endpoint extends Address {
  access: Access;
  summary: string;
  /** A public answer that still differs from browser to browser, and so may not be kept. */
  personal?: true;
  /** Counted against this limit of its caller's address; administrators' calls are always counted. */
  limit?: 'catalogue';
  params?: z.ZodMiniType<object>;
  query?: z.ZodMiniType<object>;
  body?: z.ZodMiniType<object>;
  output: z.ZodMiniType<object>;
  /** How it may fail, beyond what its access, its input and its limit bring along (src/server/platform/http/api-docs.ts). */
  errors?: readonly ErrorCode[];
  /** Of a success; 200 unless said. */
  status?: 200 | 201;
  /** Bytes that a request may have; 256 KiB unless said. */
  bodyLimit?: number;
  /** The body is a file of one of these media types, handed over as its bytes, instead of JSON. */
  upload?: readonly string[];
  /** The answer is a file of this media type, streamed, instead of JSON. */
  file?: 'text/csv';
}

/** Whether its answer is the same for everybody, and so may be kept and asked for by its tag. */
export const isShared = ({ access, method, personal }: Endpoint): boolean =>
  access === 'public' && method === 'GET' && !personal;

/** Keeps an endpoint's literal types while holding it to the shape above. */
export const endpoint = <const E extends Endpoint>(definition: E): E => definition;

export const success = z.literal(true);
/** `{ success: true, data }`, as most answers are. */
export const answer = <T extends z.ZodMiniType>(data: T) => z.object({ success, data });
export const list = <T extends z.ZodMiniType>(entry: T) => answer(z.array(entry));
/** Success, and nothing to say. */
export const done = z.object({ success });

type PartOf<E extends Endpoint, Part extends 'params' | 'query' | 'body'> = E extends {
  [P in Part]: z.ZodMiniType;
}
  ? E[Part]
  : never;

/** What a caller sends, before validation. */
export type InputOf<E extends Endpoint> = {
  [Part in 'params' | 'query' | 'body' as PartOf<E, Part> extends never ? never : Part]: z.input<
    PartOf<E, Part>
  >;
};

/** What a handler receives, after validation. */
export type ValidatedOf<E extends Endpoint> = {
  [Part in 'params' | 'query' | 'body' as PartOf<E, Part> extends never ? never : Part]: z.output<
    PartOf<E, Part>
  >;
};

export type OutputOf<E extends Endpoint> = z.output<E['output']>;
