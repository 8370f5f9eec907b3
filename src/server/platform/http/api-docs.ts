import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { endpoints } from '../../../shared/api.ts';
import { isShared, type NamedEndpoint } from '../../../shared/endpoint.ts';
import { type ErrorCode, errorBody, httpStatusOf } from '../../../shared/errors.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { createBodyCache, JSON_TYPE, type SerializedBody, sendSerialized, serializeBody } from './response-cache.ts';
import { responseSchemas, toJson } from './route.ts';

const PATH = '/api/docs';

/**
 * Serves the contract as OpenAPI and as a page; administrators' calls only with `withAdmin`. Must be registered before
 * the routes. Counted by the limit of the catalogue's calls, because the documents are large.
 */
export async function apiDocs(
  app: FastifyInstance,
  { storeName, withAdmin, limits }: { storeName: string; withAdmin: boolean; limits: RateLimits },
): Promise<void> {
  const byUrl = new Map(endpoints.map((endpoint) => [`${endpoint.method} /api${endpoint.path}`, endpoint]));
  const description = withAdmin
    ? 'Every call of the shop, from its contract.'
    : 'Every call of shoppers and customers, from the contract.';
  await app.register(swagger, {
    openapi: {
      openapi: '3.0.3',
      info: { title: storeName, description, version: '1' },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: ({ url, route }) => {
      const endpoint = byUrl.get(`${route.method} ${url}`);
      if (endpoint === undefined || (endpoint.access === 'admin' && !withAdmin)) {
        return { schema: { hide: true } as FastifySchema, url };
      }
      return { schema: describe(endpoint), url };
    },
  });
  app.addSchema({ $id: 'Error', ...toJson(errorBody, 'output') });
  // Without the top bar, whose logo has an inline style that the shop's content policy forbids.
  await app.register(swaggerUi, {
    routePrefix: PATH,
    uiConfig: { layout: 'BaseLayout' },
    uiHooks: {
      onRequest: (request) => limits.countRequest('catalogue', { address: request.ip }),
      preHandler: createDocumentHandler(app),
    },
  });
}

/** Sends the two documents, each made once: the plugin would serialize almost a megabyte for each request. */
function createDocumentHandler(app: FastifyInstance) {
  const sources: Record<string, () => Promise<SerializedBody>> = {
    [`${PATH}/json`]: () => serializeBody(JSON.stringify(app.swagger()), JSON_TYPE),
    [`${PATH}/yaml`]: () => serializeBody(app.swagger({ yaml: true }), 'application/yaml; charset=utf-8'),
  };
  const cached = createBodyCache<null>(2);

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.routeOptions.url ?? '';
    const make = sources[path];
    if (!make) {
      reply.header('cache-control', 'no-cache');
      return;
    }
    const document = await cached({ key: path, madeOf: null, isFresh: () => true }, make);
    return sendSerialized(document, request, reply);
  };
}

/** Builds the documentation of a call, when the documentation is requested. */
function describe(endpoint: NamedEndpoint): FastifySchema {
  const { access, params, query, body, upload, file } = endpoint;
  const { '4xx': _, ...success } = responseSchemas(endpoint);
  return {
    summary: endpoint.summary,
    tags: [endpoint.path.split('/')[1] ?? ''],
    ...(access !== 'public' && { security: [{ bearer: [] }], description: `Access: ${access}` }),
    ...(params && { params: toJson(params, 'input') }),
    ...(query && { querystring: toJson(query, 'input') }),
    ...(body && { body: toJson(body, 'input') }),
    ...(upload && { consumes: upload, body: { type: 'string', format: 'binary' } }),
    ...(file && { produces: [file] }),
    response: { ...success, ...otherResponses(endpoint) },
  };
}

function otherResponses(endpoint: NamedEndpoint): Record<number, object> {
  const codes = Map.groupBy(documentedErrors(endpoint), (code) => httpStatusOf[code]);
  const failures = [...codes].map(([status, group]) => [
    status,
    // JSON by name: for a call whose success is a file, the plugin would take the media type of the file.
    {
      description: [...new Set(group)].sort().join(', '),
      content: { 'application/json': { schema: { $ref: 'Error#' } } },
    },
  ]);
  const unchanged = { description: 'The cached copy with this entity tag is still current', type: 'null' };
  return { ...(isShared(endpoint) && { 304: unchanged }), ...Object.fromEntries(failures) };
}

/** The errors of a call: those it declares, and those that follow from the rest of its entry in the contract. */
function documentedErrors(endpoint: NamedEndpoint): ErrorCode[] {
  const { access, method, params, query, limit, errors = [] } = endpoint;
  return [
    ...errors,
    ...(params || query || method !== 'GET' ? (['VALIDATION_FAILED'] as const) : []),
    ...(method === 'GET' ? [] : (['BODY_TOO_LARGE'] as const)),
    ...(access === 'public' ? [] : (['UNAUTHENTICATED'] as const)),
    ...(access === 'admin' ? (['FORBIDDEN', 'RATE_LIMITED'] as const) : []),
    ...(params ? (['NOT_FOUND'] as const) : []),
    ...(limit ? (['RATE_LIMITED'] as const) : []),
    ...(['BUSY', 'DATABASE_UNAVAILABLE', 'PAYMENT_PROVIDER_UNAVAILABLE', 'INTERNAL'] as const),
  ];
}
