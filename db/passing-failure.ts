import { errorCode } from './error-code.ts';

const lostConnectionMessages = ['Connection terminated', 'not queryable', 'Connection ended'];

/**
 * Returns whether an error means that the connection was lost. The list has PostgreSQL's class 08 and
 * shutdown codes, which pgbouncer also uses, a commit of unknown outcome, a read-only server after a
 * failover, the system's own codes, including a network without a route to the server, and node-postgres'
 * errors without a code.
 */
export function isConnectionLoss(error: unknown): boolean {
  const code = errorCode(error);
  if (/^(08...|57P0[123]|25006|40003|ECONN[A-Z]+|EPIPE|ETIMEDOUT|E(HOST|NET)[A-Z]+)$/.test(code)) return true;
  return error instanceof Error && lostConnectionMessages.some((words) => error.message.includes(words));
}

/** PostgreSQL without room or free connections, stopped by an operator, or with its rows locked by others. */
const passingInPostgres = /^(53...|57...|58...|55P03|40001|40P01)$/;
const passingInSqlite = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|PROTOCOL)/;
const unreachable = /^(ENOTFOUND|EAI_AGAIN|ENOENT)$/;

/** Returns whether the same write may succeed later: the database is away, busy, full or read-only. */
export function isPassingFailure(error: unknown): boolean {
  const code = errorCode(error);
  if (
    isConnectionLoss(error) ||
    [passingInPostgres, passingInSqlite, unreachable].some((codes) => codes.test(code))
  )
    return true;
  // The pool had no free connection.
  return error instanceof Error && error.message.includes('timeout exceeded when trying to connect');
}
