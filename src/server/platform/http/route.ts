import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { type Api, api, endpoints } from '../../../shared/api.ts';
import {
  type Endpoint,
  isShared,
  type NamedEndpoint,
  type OutputOf,
  okResponse,
  type ValidatedOf,
  withName,
} from '../../../shared/endpoint.ts';
import { AppError, errorBody } from '../../../shared/errors.ts';
import { createKeyedLimiter } from '../limiter.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { hasTooManyValues } from './body-budget.ts';
import { type Actor, type Authenticate, accessDenied, bearerToken, type Viewer } from './client.ts';
import { isSerialized, type SerializedBody, sendSerialized } from './response-cache.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every endpoint that is not public, before its body is read. */
    viewer: Viewer | null;
    /** Whether the JSON body has bytes that are not UTF-8, which decoding has replaced. */
    hasReplacedBytes: boolean;
  }
}

/** A handler's argument: the validated input, the viewer if required, and for administrators the audit log's actor. */
type Call<E extends Endpoint> = ValidatedOf<E> &
  (E extends { upload: readonly string[] } ? { file: Buffer } : unknown) &
  (E['access'] extends 'admin' ? { actor: AdminActor } : unknown) & {
    request: FastifyRequest;
    reply: FastifyReply;
    viewer: E['access'] extends 'public' ? null : Viewer;
  };

export type AdminActor = Actor & { userId: string; sessionId: string };

/** A call by which an administrator changes the entry `id`. */
export type ChangeCall<Body> = { params: { id: string }; body: Body; actor: AdminActor };

const actorOf = ({ userId, sessionId, email }: Viewer, { ip }: FastifyRequest): AdminActor => ({
  userId,
  sessionId,
  name: email,
  ip,
});

/** The response without `success: true`, which route() adds. */
type ResponseFields<E extends Endpoint> = Omit<OutputOf<E>, 'success'>;

/** Resolves to the response, or to the content of a file. The result is ignored if the response has no fields. */
type Handler<E extends Endpoint> = (
  call: Call<E>,
) => Promise<
  E extends { file: string }
    ? Readable
    : keyof ResponseFields<E> extends never
      ? unknown
      : ResponseFields<E> | SerializedBody
>;

/** Registers one endpoint of the contract: limit, guard, validation, handler, response. */
export type Route = <N extends keyof Api>(
  name: N,
  handler: Handler<Api[N]>,
  /** The response does not depend on the input, which is not validated and not passed to the handler. */
  options?: { ignoreInput: true },
) => void;

/** Further rules for every call, used by a public demo. */
export interface CallPolicy {
  /** Throws FORBIDDEN if the viewer may not make the call. */
  assertAllowed(endpoint: NamedEndpoint, viewer: Viewer | null): void;
  /** Returns the query that replaces this one. */
  narrowSearch(endpoint: NamedEndpoint, query: object): object;
  /** Returns the response to this query as this viewer may see it. */
  present<T extends object>(endpoint: NamedEndpoint, viewer: Viewer | null, query: object, response: T): T;
  /** Returns any record without the personal data that `present` would hide. */
  maskPeople<T>(record: T): T;
}

// A user's calls often wait for the same row, each with a database connection: some hundred at once, which take up all
// connections, would keep everybody waiting. A browser makes six calls at once over HTTP/1.1.
const CALLS_AT_ONCE = 6;
const MAX_WAITING_CALLS = 200;

export function createRoute(
  app: FastifyInstance,
  authenticate: Authenticate,
  limits: RateLimits,
  policy?: CallPolicy,
): Route {
  const limited = createKeyedLimiter(CALLS_AT_ONCE, MAX_WAITING_CALLS);
  app.decorateRequest('viewer', null);
  app.decorateRequest('hasReplacedBytes', false);
  // A client may label a request without payload as JSON, too. Validation refuses it where a payload is needed.
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    // An administrator's file of items has many values, too.
    if (request.viewer?.role !== 'admin' && hasTooManyValues(body)) {
      return done(new AppError('VALIDATION_FAILED', 'The request has too many values'));
    }
    request.hasReplacedBytes = !isUtf8(body);
    return body.length === 0 ? done(null) : parseJson(request, body.toString(), done);
  });
  for (const mediaType of new Set(endpoints.flatMap(({ upload = [] }) => upload))) {
    app.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  }

  async function guard(endpoint: NamedEndpoint, request: FastifyRequest): Promise<void> {
    const { access, limit } = endpoint;
    if (limit) await limits.countRequest(limit, { address: request.ip });
    if (access === 'public') return;
    const viewer = await authenticate(bearerToken(request.headers.authorization));
    if (access === 'admin') {
      if (viewer.role !== 'admin') throw accessDenied();
      await limits.countRequest('admin', { user: viewer.userId });
    }
    policy?.assertAllowed(endpoint, viewer);
    request.viewer = viewer;
  }

  return (name, handler, options) => {
    const endpoint = withName(name, api[name]);
    app.route({
      method: endpoint.method,
      url: `/api${endpoint.path}`,
      // A HEAD would do what its GET does: record that a secret was sent, for one.
      exposeHeadRoute: isShared(endpoint),
      // The contract validates the input below. Fastify needs only the statuses of the responses here.
      schema: { response: { [statusOf(endpoint)]: {}, '4xx': {} } },
      serializerCompiler: ({ httpStatus = '' }) => compileAtFirstUse(endpoint, httpStatus),
      onRequest: (request) => guard(endpoint, request),
      ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
      handler: async (request, reply) => {
        // A response is personal unless the contract says otherwise. A shared response has an entity tag.
        reply.header('cache-control', isShared(endpoint) ? 'no-cache' : 'no-store');
        const input = options?.ignoreInput ? {} : validate(endpoint, request);
        // After the contract's own rules, which can name the field. The text would not be stored as it was sent.
        if (request.hasReplacedBytes) throw new AppError('VALIDATION_FAILED', 'The request must be encoded in UTF-8');
        const query = policy && 'query' in input ? policy.narrowSearch(endpoint, Object(input.query)) : undefined;
        const { viewer } = request;
        const actor = viewer && endpoint.access === 'admin' && { actor: actorOf(viewer, request) };
        const call = { ...input, ...(query && { query }), ...actor, request, reply, viewer } as Call<Api[typeof name]>;
        // Reads apart, so that the pages of a user whose changes wait for the payment provider can still be read.
        const caller = viewer && `${endpoint.method === 'GET' ? 'reads' : 'changes'} of ${viewer.userId}`;
        const result: unknown = await (caller ? limited(caller, () => handler(call)) : handler(call));
        if (result instanceof Readable) return sendFile(result, reply.type(`${endpoint.file}; charset=utf-8`));
        const response = endpoint.output === okResponse ? {} : Object(result);
        if (isSerialized(response)) return sendSerialized(response, request, reply);
        const shown = policy ? policy.present(endpoint, viewer, query ?? {}, response) : response;
        return reply.status(statusOf(endpoint)).send({ success: true, ...shown });
      },
    });
  };
}

/** Sends a stream. A failure before its first bytes is thrown. */
async function sendFile(content: Readable, reply: FastifyReply): Promise<FastifyReply> {
  await once(content, 'readable');
  // In HTTP/1.0, which nginx speaks by default, a connection that is merely closed ends a complete file.
  content.once('error', () => reply.raw.socket?.resetAndDestroy());
  return reply.send(content);
}

const compileSerializer = SerializerSelector()();

/**
 * Compiles a serializer at its first use. Describing the responses of all endpoints and compiling their serializers
 * took half of a start's CPU time, and few are needed at once.
 */
function compileAtFirstUse(endpoint: NamedEndpoint, httpStatus: string) {
  let serialize: ((response: unknown) => string) | undefined;
  return (response: unknown) => {
    const { method, path: url } = endpoint;
    serialize ??= compileSerializer({ httpStatus, method, url, schema: responseSchemas(endpoint)[httpStatus] });
    return serialize(response);
  };
}

const validate = (endpoint: Endpoint, request: FastifyRequest): object => ({
  ...(endpoint.params && { params: parse(endpoint.params, request.params) }),
  ...(endpoint.query && { query: parse(endpoint.query, request.query) }),
  ...(endpoint.body && { body: parse(endpoint.body, request.body) }),
  ...(endpoint.upload && { file: uploaded(endpoint.upload, request) }),
});

function uploaded(mediaTypes: readonly string[], { headers, body }: FastifyRequest): Buffer {
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (Buffer.isBuffer(body) && mediaTypes.includes(mediaType)) return body;
  throw new AppError('VALIDATION_FAILED', `The file must be one of ${mediaTypes.join(', ')}`);
}

function parse(schema: z.ZodMiniType<object>, value: unknown): object {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issue = firstIssue(result.error.issues);
  const field = issue?.path.join('.') || 'body';
  const message = issue?.message ?? 'Invalid input';
  // A message with a capital letter is a whole sentence, except Zod's own. Any other message needs the name of the field.
  const isSentence = /^(?!Invalid |Too )[A-Z]/.test(message);
  throw new AppError('VALIDATION_FAILED', isSentence ? message : `${field}: ${message}`, field);
}

/** Returns the first issue; for a union that of the member with the fewest issues, or of the last such member. */
function firstIssue([issue]: z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const nearest = issue.errors.reduce((one, other) => (other.length <= one.length ? other : one));
  const inner = firstIssue(nearest);
  return inner && { ...inner, path: [...issue.path, ...inner.path] };
}

const statusOf = ({ status = 200 }: Endpoint): number => status;

/** As OpenAPI 3.0, which marks a nullable field: of JSON Schema's union, the serializer would validate each member. */
export function toJson(schema: z.ZodMiniType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'openapi-3.0',
    unrepresentable: 'any',
    // OpenAPI 3.0 allows null in a nullable enumeration only if the enumeration lists it, which Zod leaves out.
    override: ({ jsonSchema }) => {
      if (jsonSchema['nullable'] && jsonSchema.enum) jsonSchema.enum = [...jsonSchema.enum, null];
    },
  });
  return rest;
}

const errorSchema = toJson(errorBody, 'output');

export const responseSchemas = (endpoint: Endpoint): Record<string, object> => ({
  [statusOf(endpoint)]: endpoint.file ? { type: 'string' } : toJson(endpoint.output, 'output'),
  '4xx': errorSchema,
});
