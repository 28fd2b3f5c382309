import { errorCode } from './error-code.ts';

/** What PostgreSQL answers to every statement after one that failed in the same transaction. */
const AFTER_FAILURE = '25P02';

/** The part of a connection that sends a statement and calls back with its answer. */
interface Sender {
  query(config: object, values: unknown[], callback: (error: Error | null) => void): unknown;
}

/** The first write of each open transaction that failed, by its connection. */
const failures = new WeakMap<object, { first: Error | null }>();

/**
 * From now on a write on this connection of which nobody reads the answer is sent without waiting for one: the
 * connection answers in the order of what it was sent, so once the commit is answered they all are. A write that fails
 * makes every later statement fail, the commit too.
 */
export function beginSending(connection: object): void {
  failures.set(connection, { first: null });
}

/** The transaction is over. */
export function endSending(connection: object): void {
  failures.delete(connection);
}

/** The first write of the transaction that is known to have failed. */
export const failedWrite = (connection: object): Error | null => failures.get(connection)?.first ?? null;

/** Sends a write without waiting. Returns false on a connection without a transaction of ours: nothing is sent. */
export function sendWrite(connection: Sender, config: object, values: unknown[]): boolean {
  const failed = failures.get(connection);
  if (!failed) return false;
  connection.query(config, values, (error) => {
    if (error && errorCode(error) !== AFTER_FAILURE) failed.first ??= error;
  });
  return true;
}
