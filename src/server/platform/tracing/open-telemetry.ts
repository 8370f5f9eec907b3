import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, resourceAttributesEnvDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { probePaths } from '../http/health.ts';
import { errorCodeOf } from '../system-errors.ts';
import { version } from '../version.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

const STOP_LIMIT_MS = 3_000;
const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/** Sends spans by OTLP over HTTP in the background. Without the collector spans are lost, but no request waits. */
export function createOpenTelemetry(settings: TracingSettings, log: Pick<FastifyBaseLogger, 'warn'>): Tracing {
  const warn = (reason: string) => log.warn({ reason }, 'spans could not be sent');
  const silent = () => undefined;
  const logger = { error: warn, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const named = resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': version });
  const byShare = new TraceIdRatioBasedSampler(settings.share);
  const provider = new TracerProvider({
    resource: detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(named),
    sampler: settings.followsParent ? new ParentBasedSampler({ root: byShare }) : byShare,
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: settings.url }) })],
  });
  const tracer = provider.getTracer('kedai', version);
  const propagator = new W3CTraceContextPropagator();
  const present = new AsyncLocalStorage<Context>();

  const contextOf = (headers: object): Context =>
    propagator.extract(ROOT_CONTEXT, headers, {
      get: (carrier, key) => (carrier as Record<string, string | string[] | undefined>)[key],
      keys: Object.keys,
    });

  return {
    inSpan: async ({ name, kind = 'internal', parent }, run) => {
      const above = parent === undefined ? (present.getStore() ?? ROOT_CONTEXT) : contextOf({ traceparent: parent });
      const span = tracer.startSpan(name, { kind: kinds[kind] }, above);
      try {
        return await present.run(trace.setSpan(above, span), run);
      } catch (error) {
        fail(span, errorCodeOf(error) || String(Object(error).name ?? 'error'));
        throw error;
      } finally {
        span.end();
      }
    },

    statement: ({ text, ms, errorCode }) => {
      const above = present.getStore();
      if (!above) return;
      const end = Date.now();
      const attributes = { 'db.system.name': 'postgresql', 'db.query.text': text };
      const name = /^\s*(?<word>\w+)/.exec(text)?.groups?.['word']?.toUpperCase() ?? 'statement';
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: end - ms }, above);
      if (errorCode !== undefined) fail(span, errorCode);
      span.end(end);
    },

    carry: () => {
      const above = present.getStore();
      const carrier: { traceparent?: string } = {};
      if (above) propagator.inject(above, carrier, { set: (to, key, value) => Object.assign(to, { [key]: value }) });
      return carrier.traceparent;
    },

    traceRequests: (app) => traceRequests(app, { tracer, present, contextOf }),

    stop: async () => {
      await Promise.race([provider.shutdown().catch(warn), wait(STOP_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}

interface RequestTracing {
  tracer: Tracer;
  present: AsyncLocalStorage<Context>;
  contextOf(headers: object): Context;
}

/** Opens a span for each request, which is the parent of the spans that are opened while the request is handled. */
function traceRequests(app: FastifyInstance, { tracer, present, contextOf }: RequestTracing): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request;
    const route = routeOptions.url ?? 'none';
    if (probePaths.has(route)) return done();
    const attributes = { 'http.request.method': method, 'http.route': route, 'kedai.request_id': request.id };
    const above = contextOf(headers);
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, above);
    const context = trace.setSpan(above, span);
    contexts.set(request, context);
    present.run(context, done);
  });
  // The body is read in socket events, which run outside of the request's async context.
  app.addHook('preValidation', (request, _reply, done) => {
    const context = contexts.get(request);
    return context ? present.run(context, done) : done();
  });
  const end = (request: FastifyRequest, describe: (span: Span) => void) => {
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT);
    contexts.delete(request);
    if (!span) return;
    describe(span);
    span.end();
  };
  app.addHook('onRequestAbort', (request, done) => {
    end(request, (span) => fail(span, 'aborted'));
    done();
  });
  app.addHook('onResponse', (request, { statusCode }, done) => {
    end(request, (span) => {
      span.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) fail(span, String(statusCode));
    });
    done();
  });
}

/** Marks a span as failed, with only the error's code, because messages may quote what a visitor typed. */
function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
