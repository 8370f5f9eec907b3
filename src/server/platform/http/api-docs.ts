import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { api } from '../../../shared/api.ts';
import type { Endpoint } from '../../../shared/endpoint.ts';

/**
 * The contract as an OpenAPI document, with a page to read it: /api/docs. Registered before the routes it describes. The
 * administrators' calls are left out in production: they would only tell strangers what there is to attack.
 */
export async function apiDocs(
  app: FastifyInstance,
  { storeName, withAdmin }: { storeName: string; withAdmin: boolean },
): Promise<void> {
  const endpoints = new Map<string, Endpoint>(
    Object.values<Endpoint>(api).map((endpoint) => [`${endpoint.method} /api${endpoint.path}`, endpoint]),
  );
  const description = withAdmin
    ? 'Every call of the shop, from its contract.'
    : 'Every call of shoppers and customers, from the contract.';
  await app.register(swagger, {
    openapi: {
      openapi: '3.0.3',
      info: { title: storeName, description, version: '1' },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
    },
    transform: ({ schema, url, route }) => {
      const endpoint = endpoints.get(`${route.method} ${url}`);
      const hidden = endpoint === undefined || (endpoint.access === 'admin' && !withAdmin);
      return { schema: (hidden ? { hide: true } : schema) as FastifySchema, url };
    },
  });
  // Without its top bar, whose logo has an inline style: the page keeps to the shop's own content policy.
  await app.register(swaggerUi, { routePrefix: '/api/docs', uiConfig: { layout: 'BaseLayout' } });
}
