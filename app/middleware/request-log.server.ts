import { randomUUID } from 'node:crypto';
import type { MiddlewareFunction } from 'react-router';
import { logger } from '#app/services/logger.server.ts';
import { logContext, requestIdContext } from './contexts.server.ts';

/** Gives each request an id and logs one line about it, without the query, which may contain one-time tokens. */
export const requestLog: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const id = randomUUID();
  const log = logger().child({ requestId: id });
  context.set(requestIdContext, id);
  context.set(logContext, log);
  const startedAt = performance.now();
  const response = await next();
  response.headers.set('X-Request-Id', id);
  const ms = Math.round(performance.now() - startedAt);
  const line = { method: request.method, path: new URL(request.url).pathname, status: response.status, ms };
  // The client left and aborted the work: not an error of ours.
  if (request.signal.aborted) log.info(line, 'request aborted');
  else if (response.status >= 500) log.error(line, 'request answered');
  else log.info(line, 'request answered');
  return response;
};
