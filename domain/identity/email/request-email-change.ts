import { and, eq, ne } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isPassword } from '#domain/identity/password/password.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { type MailToQueue, queueMail } from '#domain/outbox/queue-mail.ts';
import { consumeEmailLinks } from './consume-email-links.ts';
import { emailAddress, hasEmail } from './email-address.ts';
import { issueEmailToken } from './issue-email-token.ts';
import { nameForMail } from './name-for-mail.ts';
import { queueVerification } from './queue-verification.ts';

type Code = AccountCodeOf<'passwordWrong' | 'emailUnchanged'>;

/**
 * Mails a confirmation link to the requested new address. Until it is opened, within 24 hours, the old address stays
 * and is notified, if it is verified, so that its owner can stop the change. A link to an address that was never verified
 * ends: it may be a stranger's. Asked for again, such an address gets another link. Requires the password if there is one.
 * A newer request invalidates older links. A taken address gets the same response, so that accounts cannot be discovered: its owner
 * is notified instead and no link is sent.
 */
export async function requestEmailChange(
  db: Database,
  input: { userId: string; email: string; password: string },
  nowMs: number,
): Promise<Outcome<object, Code>> {
  const { userId } = input;
  const email = emailAddress(input.email);
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  if (!user) throw new Error(`no user ${userId}`);
  if (user.passwordHash !== null && !(await isPassword(input.password, user.passwordHash)))
    return refuse('passwordWrong');
  const isVerified = user.emailVerifiedAtMs !== null;
  const isPresent = email === emailAddress(user.email);
  if (isPresent && isVerified) return refuse('emailUnchanged');
  return db.transaction(async (tx) => {
    const [owner] = await tx
      .select()
      .from(users)
      .where(and(hasEmail(email), ne(users.id, userId)));
    const purposes = isVerified ? (['change'] as const) : (['change', 'verify', 'reset'] as const);
    await consumeEmailLinks(tx, { userId, purposes }, nowMs);
    if (isPresent) {
      await queueVerification(tx, user, nowMs);
      return done({});
    }
    const token = await issueEmailToken(tx, { userId, email, purpose: 'change' }, nowMs);
    await queueMail(tx, owner ? toOwner(owner) : toSomebodyNew(user, email, token), nowMs);
    if (isVerified) await queueMail(tx, toPresent(user, email), nowMs);
    return done({});
  });
}

type User = typeof users.$inferSelect;

const toSomebodyNew = ({ locale }: User, email: string, token: string): MailToQueue => ({
  recipient: email,
  locale,
  template: 'changeEmail',
  values: { token, email },
});

const toPresent = ({ name, locale, email: recipient }: User, email: string): MailToQueue => ({
  recipient,
  locale,
  template: 'emailChangeAsked',
  values: { name, email },
});

/** The requester's name is omitted: it is free text and would let a stranger put words into our mail. */
const toOwner = ({ email, locale, ...owner }: User): MailToQueue => ({
  recipient: email,
  locale,
  template: 'emailWanted',
  values: { ...nameForMail(owner), email },
});
