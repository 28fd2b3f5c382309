import type { Tx } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import type { Locale } from '#db/schema/user.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/id.ts';

/** Every mail that is ever sent, and the values its text needs. */
export interface MailValues {
  verifyEmail: { name: string; token: string };
  resetPassword: { name: string; email: string; token: string };
  /** To the new address, which has yet to be confirmed. */
  changeEmail: { name: string; email: string; token: string };
  /** To the old address, when the change is asked for. */
  emailChangeAsked: { name: string; email: string };
  /** To the old address, when it has been changed. */
  emailChanged: { name: string; email: string };
  /** To the owner of an address that somebody else wanted to change to. */
  emailWanted: { name: string; email: string };
  /** To who wrote to the operator without any other proof of who they are. */
  confirmMessage: { token: string };
  /** To the operator. `confirmed` is yes or no: whether the sender holds the address. */
  contactMessage: { name: string; email: string; message: string; confirmed: string };
  /** To a broadcaster whose link lost its permission; `rules` is how many rules paused. */
  twitchRestricted: { name: string; channel: string; rules: string };
  /** To the owner of a rule: the viewer accepted before the offer could be taken back, and has the points again. */
  deliveredWithoutPoints: { name: string; viewer: string; item: string; rule: string; ruleId: string };
  /** Of a drawn reward also its proof, as rule and number of the draw, and the fingerprint to keep. */
  rewardPromised: {
    name: string;
    item: string;
    channel: string;
    rule: string;
    claimUntilMs: string;
    proof?: string;
    fingerprint?: string;
  };
}
export type MailTemplate = keyof MailValues;
export type MailToQueue = {
  [T in MailTemplate]: { recipient: string; locale: Locale; template: T; values: MailValues[T] };
}[MailTemplate];

const insertMails = insertManyInto(mails, 'mails');

/** Writes mails in the act's own transaction: they are sent if and only if the act stands. */
export async function queueMails(tx: Tx, queued: readonly MailToQueue[], nowMs: number): Promise<void> {
  await insertMails(
    tx,
    queued.map((mail) => ({
      ...mail,
      values: { ...mail.values },
      id: newId(nowMs),
      createdAtMs: nowMs,
      runAtMs: nowMs,
    })),
  );
}

/** The same for one mail. */
export const queueMail = (tx: Tx, mail: MailToQueue, nowMs: number): Promise<void> =>
  queueMails(tx, [mail], nowMs);
