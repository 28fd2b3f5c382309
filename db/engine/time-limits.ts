/**
 * The time that PostgreSQL lets a statement run, waiting for locks included, and a transaction wait for its
 * next statement.
 */
export interface TimeLimits {
  statementMs: number;
  idleInTransactionMs: number;
}

/** For a page: by then the visitor, or the proxy in between, has left. */
export const pageLimits: TimeLimits = { statementMs: 60_000, idleInTransactionMs: 60_000 };

/** For a bot, whose daily audit reads everything: millions of rows take a minute. */
export const workLimits: TimeLimits = { statementMs: 600_000, idleInTransactionMs: 60_000 };

/** A query that sets the limits until the transaction or the session ends. What an operator has set stays. */
export function limitQuery(limits: TimeLimits, until: 'transaction' | 'session'): string {
  const settings = {
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
  };
  return Object.entries(settings)
    .map(
      ([name, ms]) =>
        `select set_config('${name}', '${ms}', ${until === 'transaction'}) where current_setting('${name}') = '0'`,
    )
    .join('; ');
}
