/** How long a test waits for a state that has to come, on a machine that has much else to do. Only a failing test waits so long. */
export const PATIENCE_MS = 60_000;

/** How long a test's own server keeps a connection: longer than clients do. Who asks on one that is being closed has asked in vain. */
export const KEEP_ALIVE_MS = 65_000;
