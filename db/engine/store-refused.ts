import { errorCode } from '#db/error-code.ts';

/** An expected reason why a store cannot be used. Its message is whole sentences for the operator, who needs no stack. */
export class StoreRefused extends Error {}

/** The database's name in messages for the operator, because its address may contain a password. */
export const POSTGRES = 'The database in DATABASE_URL';

/** The message of a process that may not run on. */
export const OUTDATED =
  'A newer version has changed the schema of the database, and this one would misread it; ending. Install the newer version here as well.';

/** The message of a process that may not run yet. */
export const WAITING = 'The database is being migrated, or has not been yet; waiting.';

interface StoreFault {
  what: string;
  why: string;
  remedy: string;
}

const encoded = 'in which special characters must be percent-encoded (@ as %40, / as %2F)';

/** Remedies by the code of Node's or of PostgreSQL's (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL, and check host and port in DATABASE_URL.',
  ENOTFOUND: `Check the host in DATABASE_URL, and the password, ${encoded}.`,
  EAI_AGAIN: 'Check the host in DATABASE_URL and the DNS of this machine.',
  '28P01': `Check user and password in DATABASE_URL, ${encoded}.`,
  '28000': 'Check the user in DATABASE_URL, and pg_hba.conf of the server.',
  '3D000': 'Create the database, for example with createdb, or correct its name in DATABASE_URL.',
  '57P03': 'Wait until PostgreSQL has started, and start again.',
  '53300': 'Raise max_connections of PostgreSQL, or end what holds its connections.',
};

/** The fault of a PostgreSQL to which no connection could be made. */
export function unreachable(error: unknown): StoreFault {
  // A name with several addresses fails with an error without a message.
  const code = errorCode(error) || (error as Error).message;
  return {
    what: `${POSTGRES} does not answer (${code}).`,
    why: 'Neither web nor bot can work.',
    remedy: remedies[code] ?? 'Start PostgreSQL, and check host, port, user and password in DATABASE_URL.',
  };
}

/** Returns the reason why a store cannot be opened, for errors of the databases that an operator can mend; null for others. */
export function whyNotOpened(error: unknown): string | null {
  if (error instanceof StoreRefused) return error.message;
  const code = errorCode(error);
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
    return 'keepsake.db in the data folder is damaged, or is no database. Nothing that is stored can be read. Restore a backup: keepsake restore FOLDER.';
  if (/^SQLITE_(CANTOPEN|READONLY)/.test(code))
    return 'keepsake.db in the data folder cannot be opened. Nothing could be stored. Give the data folder to the user that runs Keepsake, as root with chown -R, and see that its disk is writable.';
  if (/^SQLITE_FULL/.test(code))
    return 'The disk of the data folder is full. Nothing can be stored. Free space, and start again.';
  return null;
}
