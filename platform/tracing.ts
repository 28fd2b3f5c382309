// Spans for whoever loads an OpenTelemetry SDK with `--import`. Without one nothing of OpenTelemetry is loaded.
import type { Attributes } from '@opentelemetry/api';
import { redactLine } from './redaction.ts';

/** Where an SDK registers itself, for every copy of the API of this major version. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const api = REGISTRY in globalThis ? await import('@opentelemetry/api') : null;

/** Traces leave the machine as logs do: without secrets and addresses. */
const withoutSecrets = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' ? redactLine(value) : value,
    ]),
  );

/** Runs work in a span, which ends with it and records its error. */
export function traced<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  if (!api) return work();
  const { SpanStatusCode, trace } = api;
  return trace
    .getTracer('keepsake')
    .startActiveSpan(name, { attributes: withoutSecrets(attributes) }, async (span) => {
      try {
        return await work();
      } catch (error) {
        const { name, message, stack = '' } = error as Error;
        span.recordException({ name, message: redactLine(message), stack: redactLine(stack) });
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
