// Spans for whoever loads an OpenTelemetry SDK with `--import`. Without one nothing of OpenTelemetry is loaded.
import type { Attributes } from '@opentelemetry/api';

/** Where an SDK registers itself, for every copy of the API of this major version. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const api = REGISTRY in globalThis ? await import('@opentelemetry/api') : null;

/** Runs work in a span, which ends with it and records its error. */
export function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (!api) return work();
  const { SpanStatusCode, trace } = api;
  return trace.getTracer('keepsake').startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Headers that let another process continue the trace of this one. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  api?.propagation.inject(api.context.active(), headers);
  return headers;
}

/** Runs work as a part of the trace that a request's headers name. */
export const inTraceOf = <T>(headers: object, work: () => T): T =>
  api ? api.context.with(api.propagation.extract(api.context.active(), headers), work) : work();
