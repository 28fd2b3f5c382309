import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** The header that carries the id from the web process to the bot. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** Whether a header's value can be an id; anything else would be somebody's text in the log. */
export const isRequestId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value);

/** Runs what answers a request. All that follows from it, also later, knows the request by its id. */
export const withRequestId = <T>(id: string, work: () => T): T => ids.run(id, work);

/** The id of the request that is being answered; undefined outside of one. */
export const currentRequestId = (): string | undefined => ids.getStore();

/** Runs what a request happens to begin, but what serves all of them and goes on after it. */
export const outsideRequests = <T>(work: () => T): T => ids.exit(work);

/** What a log adds to each line. */
export const requestOfLine = (): { requestId?: string } => {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
};
