import { randomUUID } from 'node:crypto';
import type { MiddlewareFunction } from 'react-router';
import { config } from '#app/config.server.ts';
import { type Log, logger } from '#app/services/logger.server.ts';
import { logContext, requestIdContext } from './contexts.server.ts';

/** A log whose lines name a request. It is made for the first of them: most requests write none. */
function logOf(requestId: string): Log {
  let made: Log | null = null;
  const log = () => {
    made ??= logger().child({ requestId });
    return made;
  };
  return {
    debug: (...line: Parameters<Log['debug']>) => log().debug(...line),
    info: (...line: Parameters<Log['info']>) => log().info(...line),
    warn: (...line: Parameters<Log['warn']>) => log().warn(...line),
    error: (...line: Parameters<Log['error']>) => log().error(...line),
  };
}

async function measure(status: number, seconds: number): Promise<void> {
  const { answers } = await import('#app/services/metrics.server.ts');
  answers.observe({ status: `${Math.floor(status / 100)}xx` }, seconds);
}

/** Gives each request an id and logs one line about it, without the query, which may contain one-time tokens. */
export const requestLog: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const id = randomUUID();
  context.set(requestIdContext, id);
  context.set(logContext, logOf(id));
  const startedAt = performance.now();
  const response = await next();
  response.headers.set('X-Request-Id', id);
  const ms = Math.round(performance.now() - startedAt);
  if (config().metricsToken) await measure(response.status, ms / 1000);
  const { method, url } = request;
  const line = { requestId: id, method, path: new URL(url).pathname, status: response.status, ms };
  const log = logger();
  // The client left and aborted the work: not an error of ours.
  if (request.signal.aborted) log.info(line, 'request aborted');
  else if (response.status >= 500) log.error(line, 'request answered');
  else log.info(line, 'request answered');
  return response;
};
