/** The settings of a connection to PostgreSQL, including those by which its loss is noticed. */
export const connectionSettings = {
  /** Longer than any transaction that holds a connection of the pool. */
  connectionTimeoutMillis: 30_000,
  /** To connect costs more than to keep a connection; pg would close one after ten seconds, and connect again each minute. */
  idleTimeoutMillis: 5 * 60_000,
  /**
   * After how long without an answer the system asks whether the database's machine is still there; ten seconds later the
   * connection counts as lost. Node leaves that to the system otherwise, which asks after two hours.
   */
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};
