/**
 * After how long without an answer the system asks whether the database's machine is still there; ten seconds later the
 * connection counts as lost. Without it, Node leaves that to the system, which asks after two hours.
 */
export const KEEP_ALIVE_AFTER_MS = 10_000;
