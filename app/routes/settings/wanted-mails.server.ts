import type { Database } from '#db/database.ts';
import type { Account } from '#domain/account/get-account.ts';
import { type MailKind, mailKinds, needsPlan } from '#domain/outbox/mail-kinds.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';

/** A kind of notification as the settings show it. */
export interface WantedMail {
  kind: MailKind;
  /** The user's choice, which counts as soon as the plan includes the kind. */
  wanted: boolean;
  /** True if the user's plan leaves the kind out, whatever was chosen. */
  needsPlan: boolean;
}

/** Lists the kinds of notifications with the user's choice, and those that only another plan would bring. */
export async function listWantedMails(
  { read }: Database,
  { id, notifyByMail, mutedMails }: Pick<Account, 'id' | 'notifyByMail' | 'mutedMails'>,
  nowMs: number,
): Promise<WantedMail[]> {
  const { rewardMails } = await limitsOf(read, id, nowMs);
  return mailKinds.map((kind) => ({
    kind,
    wanted: notifyByMail && !mutedMails.includes(kind),
    needsPlan: needsPlan(kind) && !rewardMails,
  }));
}
