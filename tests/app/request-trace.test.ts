import { propagation, type TracerProvider, trace } from '@opentelemetry/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { setWeb } from './support/web.ts';

const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const TRACE = Symbol('trace');
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

interface Seen {
  name: string;
  attributes: Record<string, unknown>;
  failed: boolean;
  /** The trace that it continues. */
  trace: unknown;
}

/** Loads the middleware after an SDK, as `--import` does, and answers one request through it. */
async function traceRequest(status: number, trustProxy: boolean): Promise<Seen[]> {
  await setWeb({ TRUST_PROXY: String(trustProxy) });
  vi.resetModules();
  const clear = () => void Reflect.deleteProperty(globalThis, REGISTRY);
  clear();
  onTestFinished(clear);
  const seen: Seen[] = [];
  let continued: unknown = null;
  const tracer = {
    startActiveSpan(
      name: string,
      { attributes }: { attributes: Record<string, unknown> },
      work: (span: unknown) => unknown,
    ) {
      const span: Seen = { name, attributes: { ...attributes }, failed: false, trace: continued };
      seen.push(span);
      return work({
        setAttributes: (more: Record<string, unknown>) => Object.assign(span.attributes, more),
        setStatus: () => {
          span.failed = true;
        },
        recordException() {},
        end() {},
      });
    },
  };
  trace.setGlobalTracerProvider({ getTracer: () => tracer } as unknown as TracerProvider);
  propagation.setGlobalPropagator({
    inject: () => {},
    extract: (known, headers) => {
      continued = headers;
      return known.setValue(TRACE, headers);
    },
    fields: () => ['traceparent'],
  });
  const { requestLog } = await import('#app/middleware/request-log.server.ts');
  const request = new Request('http://localhost:3000/rules?token=abc', {
    headers: { traceparent, baggage: 'who=visitor' },
  });
  const context = { get: () => null, set: () => {} };
  await requestLog({ request, context, params: {} } as never, async () => new Response(null, { status }));
  return seen;
}

test('A request’s span tells its status, and only what failed here is an error', async () => {
  const spans = [...(await traceRequest(404, false)), ...(await traceRequest(500, false))];
  expect(spans).toMatchObject([
    { name: 'web GET', attributes: { path: '/rules', 'http.response.status_code': 404 }, failed: false },
    { name: 'web GET', attributes: { path: '/rules', 'http.response.status_code': 500 }, failed: true },
  ]);
});

test('A trace is continued if a proxy that is trusted began it, and a visitor’s own is not', async () => {
  expect(await traceRequest(200, true)).toMatchObject([{ trace: { traceparent } }]);
  expect((await traceRequest(200, true))[0]?.trace).not.toHaveProperty('baggage');
  expect(await traceRequest(200, false)).toMatchObject([{ trace: null }]);
});
