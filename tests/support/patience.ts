/** How long a test waits for an expected state on a busy machine. Only a failing test waits this long. */
export const PATIENCE_MS = 60_000;

/**
 * How long a test's own server keeps idle connections: longer than clients do, because a request on a connection that
 * is being closed gets no answer.
 */
export const KEEP_ALIVE_MS = 65_000;
