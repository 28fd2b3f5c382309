import { errorCode } from '#db/error-code.ts';

/** PostgreSQL's answer to every statement after one that failed in the same transaction. */
const AFTER_FAILURE = '25P02';

/** The part of a connection that sends a statement and calls back with its answer. */
interface Sender {
  query(config: object, values: unknown[], callback: (error: Error | null) => void): unknown;
}

interface Sending {
  isAborted: boolean;
  failed: Error | null;
}

/** The open transactions, by their connections. */
const open = new WeakMap<object, Sending>();

/**
 * From now on, a write on this connection whose answer nobody reads is sent without waiting. PostgreSQL
 * answers in the order of the statements, so once the commit is answered, all of them are. A write that fails
 * makes every later statement fail, and turns the commit into a rollback.
 */
export function beginSending(connection: object): void {
  open.set(connection, { isAborted: false, failed: null });
}

/** The transaction is over. */
export function endSending(connection: object): void {
  open.delete(connection);
}

/** The write that is known to have failed, unless an awaited statement did so before. */
export const failedWrite = (connection: object): Error | null => open.get(connection)?.failed ?? null;

/** Sends a write without waiting. Returns false on a connection without a transaction of ours: nothing is sent. */
export function sendWrite(connection: Sender, config: object, values: unknown[]): boolean {
  const sending = open.get(connection);
  if (!sending) return false;
  connection.query(config, values, (error) => {
    if (!error || sending.isAborted) return;
    sending.isAborted = true;
    if (errorCode(error) !== AFTER_FAILURE) sending.failed = error;
  });
  return true;
}
