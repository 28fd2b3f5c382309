import { randomUUID } from 'node:crypto';
import type { MiddlewareFunction } from 'react-router';
import { config } from '#app/config.server.ts';
import { loggedPath } from '#app/http/logged-path.ts';
import { logger } from '#app/http/logger.server.ts';
import { REQUEST_ID_HEADER, withRequestId } from '#platform/request-id.ts';
import { httpOutcome, inTraceOf, traced } from '#platform/tracing.ts';
import { trustsProxy } from '#platform/trusted-proxies.ts';
import { requestIdContext } from './contexts.server.ts';

async function measure(status: number, seconds: number): Promise<void> {
  const { answers } = await import('#app/http/metrics.server.ts');
  answers.observe({ status: `${Math.floor(status / 100)}xx` }, seconds);
}

/**
 * Returns the trace that our own proxy began. A visitor's trace would let anybody decide what is recorded.
 */
const traceOf = (headers: Headers) =>
  trustsProxy(config().proxies)
    ? { traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') }
    : {};

const routine: ReadonlySet<string> = new Set(['/healthz', '/metrics', '/ready']);
/** Health checks, measurements and pages that wait come several times a minute, and would hide what people do. */
const isRoutine = (path: string): boolean => routine.has(path);

/** Gives each request an id and logs one line about it, without the query, which may contain one-time tokens. */
export const requestLog: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const id = randomUUID();
  context.set(requestIdContext, id);
  const startedAt = performance.now();
  const path = loggedPath(new URL(request.url).pathname);
  const response = await withRequestId(id, () =>
    inTraceOf(traceOf(request.headers), () =>
      traced(
        `web ${request.method}`,
        { path, requestId: id },
        async () => next(),
        ({ status }) => httpOutcome(status),
      ),
    ),
  );
  response.headers.set(REQUEST_ID_HEADER, id);
  const ms = Math.round(performance.now() - startedAt);
  if (config().metricsToken) await measure(response.status, ms / 1000);
  const line = { requestId: id, method: request.method, path, status: response.status, ms };
  const log = logger();
  // The client left and aborted the work: not an error of ours.
  if (request.signal.aborted) log.info(line, 'request aborted');
  else if (response.status >= 500) log.error(line, 'request answered');
  else log[isRoutine(path) ? 'debug' : 'info'](line, 'request answered');
  return response;
};
