import type { FastifyInstance } from 'fastify';

export interface TracingSettings {
  /** The whole URL to which the spans are sent. */
  url: string;
  serviceName: string;
  /** The share of traces that is kept, from 0 to 1. */
  share: number;
  /** Whether a request that belongs to a trace of its caller is kept exactly if that trace is. */
  followsParent: boolean;
}

export interface Work {
  /** Never an id of a person, a value of a statement, or anything that a visitor typed. */
  name: string;
  /** `client`: a call to another server. */
  kind?: 'internal' | 'client' | 'consumer';
  /** The `traceparent` that the work continues; without it, the current span. */
  parent?: string | undefined;
}

export interface EndedStatement {
  /** Without the values of its parameters. */
  text: string;
  ms: number;
  /** The code of PostgreSQL or Node if the statement failed. */
  errorCode?: string | undefined;
}

export interface Tracing {
  inSpan<T>(work: Work, run: () => Promise<T>): Promise<T>;
  /** Records a statement as a span, unless it ran outside of every span. */
  statement(ended: EndedStatement): void;
  /** Returns the `traceparent` of the current span; undefined outside of a span. */
  carry(): string | undefined;
  traceRequests(app: FastifyInstance): void;
  /** Sends the remaining spans, for at most 3 seconds. */
  stop(): Promise<void>;
}

export const noTracing: Tracing = {
  inSpan: (_work, run) => run(),
  statement: () => undefined,
  carry: () => undefined,
  traceRequests: () => undefined,
  stop: async () => undefined,
};
