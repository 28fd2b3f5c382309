import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** The header that carries the id from the web process to the bot. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Returns whether a header's value can be an id; anything else would be somebody's text in the log. */
export const isRequestId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

/**
 * Runs the work that answers a request. Everything that follows from it, even later, has the request's id.
 */
export const withRequestId = <T>(id: string, work: () => T): T => ids.run(id, work);

/** The id of the request that is being answered; undefined outside of one. */
export const currentRequestId = (): string | undefined => ids.getStore();

/** Runs work that a request happens to begin, but that serves all requests and goes on after it. */
export const outsideRequests = <T>(work: () => T): T => ids.exit(work);

/** The fields that a log adds to each line. */
export const requestOfLine = (): { requestId?: string } => {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
};
