import type { Database } from '#db/database.ts';
import { notifyOfChange } from '#domain/account/notify-of-change.ts';

/** Mails an account's owner that a program with one of their API tokens opened a rule or added rewards to one. */
export const reportTokenGiving = (
  db: Database,
  { userId }: { userId: string },
  nowMs: number,
): Promise<void> => db.transaction((tx) => notifyOfChange(tx, { userId, change: 'tokenGives' }, nowMs));
