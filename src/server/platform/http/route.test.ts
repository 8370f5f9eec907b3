import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { expect, test } from 'vitest';
import { endpoints } from '../../../shared/api.ts';
import { responseSchemas } from './route.ts';

// The shop compiles a serializer when it first needs it, so a start does not find schemas that cannot be compiled.
test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
  'the responses of %s can be serialized',
  (_name, endpoint) => {
    const compile = SerializerSelector()();
    const { method, path: url } = endpoint;
    for (const [httpStatus, schema] of Object.entries(responseSchemas(endpoint))) {
      expect(compile({ method, url, httpStatus, schema })).toBeTypeOf('function');
    }
  },
);
