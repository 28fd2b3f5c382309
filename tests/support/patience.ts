/** A test waits this long for an expected state on a busy machine. Only a failing test waits to the end. */
export const PATIENCE_MS = 60_000;

/**
 * A test's own server keeps idle connections for this long: longer than clients do, because a request on a
 * connection that is being closed gets no answer.
 */
export const KEEP_ALIVE_MS = 65_000;
