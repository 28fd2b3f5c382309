// Spans for instances that load an OpenTelemetry SDK with `--import`. Without one nothing of OpenTelemetry is
// loaded.
import type { Attributes } from '@opentelemetry/api';
import { redactLine } from './redaction.ts';

/** The symbol under which an SDK registers itself, for every copy of the API of this major version. */
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

/** A span's facts about work that ended without throwing. */
interface Outcome {
  attributes: Attributes;
  failed: boolean;
}

/** The outcome of a request: an error of the client is no failure of the server. */
export const httpOutcome = (status: number): Outcome => ({
  attributes: { 'http.response.status_code': status },
  failed: status >= 500,
});

/** Runs work in a span, which ends with it and records its error, or the result of `outcomeOf`. */
export function traced<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  outcomeOf?: (result: T) => Outcome,
): Promise<T> {
  if (!api) return work();
  const { SpanStatusCode, trace } = api;
  return trace
    .getTracer('keepsake')
    .startActiveSpan(name, { attributes: withoutSecrets(attributes) }, async (span) => {
      try {
        const result = await work();
        const outcome = outcomeOf?.(result);
        if (outcome) span.setAttributes(outcome.attributes);
        if (outcome?.failed) span.setStatus({ code: SpanStatusCode.ERROR });
        return result;
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

type TraceHeaders = Readonly<Record<string, string | string[] | null | undefined>>;

/** Runs work as a part of the trace that a request's headers name. Its baggage is not taken over: it may be anything. */
export function inTraceOf<T>({ traceparent, tracestate }: TraceHeaders, work: () => T): T {
  if (!api || !traceparent) return work();
  const named = { traceparent, ...(tracestate && { tracestate }) };
  return api.context.with(api.propagation.extract(api.context.active(), named), work);
}
