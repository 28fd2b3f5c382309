import { and, eq, isNull } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { emailTokens, users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { hashOf } from '#domain/account/secret-token.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';

type Code = AccountCodeOf<'verificationUnknown' | 'verificationUsed' | 'verificationExpired'>;

/**
 * Takes the link of a verification mail, once and within 24 hours; whoever holds it need not be signed in. A link
 * sent to an address that the account has left since is unknown. What the person watched before counts from here on.
 */
export async function verifyEmail(
  db: Database,
  input: { token: string },
  nowMs: number,
): Promise<Outcome<{ userId: string }, Code>> {
  const tokenHash = hashOf(input.token);
  return db.transaction(async (tx) => {
    const [found] = await tx
      .select({ token: emailTokens, email: users.email })
      .from(emailTokens)
      .innerJoin(users, eq(users.id, emailTokens.userId))
      .where(and(eq(emailTokens.tokenHash, tokenHash), eq(emailTokens.purpose, 'verify')));
    if (!found || found.token.email !== found.email) return refuse('verificationUnknown');
    if (found.token.usedAtMs !== null) return refuse('verificationUsed');
    if (found.token.expiresAtMs <= nowMs) return refuse('verificationExpired');
    const { userId } = found.token;
    if (!(await takeLink(tx, { tokenHash, userId }, nowMs))) return refuse('verificationUsed');
    await tx
      .update(users)
      .set({ emailVerifiedAtMs: nowMs })
      .where(and(eq(users.id, userId), isNull(users.emailVerifiedAtMs)));
    const [twitch] = await tx
      .select({ twitchId: twitchAccounts.twitchId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.userId, userId));
    if (twitch) await evaluateViewer(tx, twitch, nowMs);
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
    return done({ userId });
  });
}

/** Takes the link and, with it, every other one that is still on its way. False when another request was first. */
async function takeLink(
  tx: Tx,
  link: { tokenHash: string; userId: string },
  nowMs: number,
): Promise<boolean> {
  const used = await tx
    .update(emailTokens)
    .set({ usedAtMs: nowMs })
    .where(and(eq(emailTokens.tokenHash, link.tokenHash), isNull(emailTokens.usedAtMs)))
    .returning({ tokenHash: emailTokens.tokenHash });
  if (used.length === 0) return false;
  const open = [eq(emailTokens.userId, link.userId), eq(emailTokens.purpose, 'verify')];
  await tx
    .update(emailTokens)
    .set({ usedAtMs: nowMs })
    .where(and(...open, isNull(emailTokens.usedAtMs)));
  return true;
}
