import type { Database } from '#db/database.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';

/** Mails an account's owner that somebody proved the first factor and then guessed at codes of the app. */
export const reportGuessedCodes = (
  db: Database,
  { userId }: { userId: string },
  nowMs: number,
): Promise<void> => db.transaction((tx) => notifyOfChange(tx, { userId, change: 'codesGuessed' }, nowMs));
