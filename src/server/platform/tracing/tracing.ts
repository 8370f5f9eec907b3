import type { FastifyInstance } from 'fastify';

export interface TracingSettings {
  /** Where the spans are sent: the whole URL. */
  url: string;
  serviceName: string;
  sampler: SamplerName;
  /** The share of traces of the samplers by ratio, 0 to 1. */
  ratio: number;
}

export const samplerNames = ['always_on', 'always_off', 'traceidratio'] as const;
export type SamplerName = (typeof samplerNames)[number] | `parentbased_${(typeof samplerNames)[number]}`;

/** Names and outcomes of work; never ids of people, values of statements, or anything that a visitor typed. */
export type SpanAttributes = Record<string, string | number>;

export interface Work {
  name: string;
  /** `client`: a call of another server. */
  kind?: 'internal' | 'client' | 'consumer';
  attributes?: SpanAttributes;
  /** The `traceparent` that it continues; the present span without one. */
  parent?: string | undefined;
}

/** A statement of the database that has ended. */
export interface EndedStatement {
  /** Without the values of its parameters. */
  text: string;
  ms: number;
  /** PostgreSQL's or Node's code of its failure. */
  errorCode?: string | undefined;
}

/** Spans of requests, statements, provider calls and background work. */
export interface Tracing {
  inSpan<T>(work: Work, run: () => Promise<T>): Promise<T>;
  /** A statement outside of every span has none. */
  statement(ended: EndedStatement): void;
  /** The `traceparent` of the present span; undefined outside of one. */
  carry(): string | undefined;
  traceRequests(app: FastifyInstance): void;
  /** Sends what is left, for at most 3 seconds. */
  stop(): Promise<void>;
}

export const noTracing: Tracing = {
  inSpan: (_work, run) => run(),
  statement: () => undefined,
  carry: () => undefined,
  traceRequests: () => undefined,
  stop: async () => undefined,
};
