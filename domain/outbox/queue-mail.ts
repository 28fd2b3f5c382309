import type { Tx } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import type { Locale } from '#db/schema/user.ts';
import { newId } from '#domain/id.ts';

/** Every mail that is ever sent, and the values its text needs. */
export interface MailValues {
  verifyEmail: { name: string; token: string };
  rewardPromised: { name: string; item: string; channel: string; rule: string; claimUntilMs: string };
}
export type MailTemplate = keyof MailValues;
export type MailToQueue = {
  [T in MailTemplate]: { recipient: string; locale: Locale; template: T; values: MailValues[T] };
}[MailTemplate];

/** Writes mail in the act's own transaction: it is sent if and only if the act stands. */
export async function queueMail(tx: Tx, letters: readonly MailToQueue[], nowMs: number): Promise<void> {
  if (letters.length === 0) return;
  await tx.insert(mails).values(
    letters.map((letter) => ({
      ...letter,
      values: { ...letter.values },
      id: newId(nowMs),
      createdAtMs: nowMs,
      runAtMs: nowMs,
    })),
  );
}
