import { context, propagation, type TracerProvider, trace } from '@opentelemetry/api';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';

/** Spans as reported to a provider. */
let spans: { name: string; attributes: unknown; error?: string; ended: boolean }[];

const provider: TracerProvider = {
  getTracer: () =>
    ({
      startActiveSpan(
        name: string,
        { attributes }: { attributes: unknown },
        work: (span: unknown) => unknown,
      ) {
        const span: (typeof spans)[number] = { name, attributes, ended: false };
        spans.push(span);
        return work({
          recordException({ message }: Error) {
            span.error = message;
          },
          setStatus() {},
          end() {
            span.ended = true;
          },
        });
      },
    }) as never,
};

/** Does the work of an SDK that `--import` has loaded before the product. */
function register(): void {
  trace.setGlobalTracerProvider(provider);
  propagation.setGlobalPropagator({
    inject: (_context, headers) => Object.assign(headers as object, { traceparent: 'of-this-process' }),
    extract: (known, headers) => known.setValue(TRACE, (headers as { traceparent: string }).traceparent),
    fields: () => ['traceparent'],
  });
}
const TRACE = Symbol('trace');
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

beforeEach(() => {
  spans = [];
  vi.resetModules();
  onTestFinished(() => void Reflect.deleteProperty(globalThis, REGISTRY));
});

const load = () => import('#platform/tracing.ts');

test('Where an SDK is loaded, work is in a span, which ends with it and records its error', async () => {
  register();
  const { traced, traceHeaders, inTraceOf } = await load();
  expect(await traced('round of mails', { worker: 'mails' }, async () => 'done')).toBe('done');
  const failed = traced('steam community', { path: '/?token=abc' }, async () => {
    throw new Error('as planned for demo@keepsake.example');
  });
  await expect(failed).rejects.toThrow('demo@keepsake.example');
  expect(spans).toEqual([
    { name: 'round of mails', attributes: { worker: 'mails' }, ended: true },
    {
      name: 'steam community',
      attributes: { path: '/?token=[redacted]' },
      error: 'as planned for [redacted]',
      ended: true,
    },
  ]);
  expect(traceHeaders()).toEqual({ traceparent: 'of-this-process' });
  const entered = vi.spyOn(context, 'with');
  expect(inTraceOf({ traceparent: 'of-the-web' }, () => 'inside')).toBe('inside');
  expect(entered.mock.lastCall?.[0].getValue(TRACE)).toBe('of-the-web');
});

test('Without an SDK work is done as it is, and other processes are told nothing', async () => {
  Reflect.deleteProperty(globalThis, REGISTRY);
  const { traced, traceHeaders, inTraceOf } = await load();
  const work = async () => 'done';
  expect(await traced('round of mails', {}, work)).toBe('done');
  expect([traceHeaders(), inTraceOf({ traceparent: 'x' }, () => 'inside')]).toEqual([{}, 'inside']);
  expect(spans).toEqual([]);
});
