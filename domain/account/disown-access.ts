import { and, eq, gt, isNotNull, isNull } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import { emailTokens, users } from '#db/schema/user.ts';
import { replaceOverlaySecrets } from '#domain/account/replace-overlay-secrets.ts';
import { freezeAccount } from '#domain/freeze/freeze-account.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { consumeEmailLink, consumeEmailLinks } from '#domain/identity/email/consume-email-links.ts';
import { endOtherAccess } from '#domain/identity/session/end-session.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

type Code = AccountCodeOf<'disownLinkBad'>;

/** Counts of the signed-in browsers and API tokens that ended, and of the rules that were frozen. */
export interface EndedAccess {
  sessions: number;
  tokens: number;
  frozenRules: number;
}

/**
 * Finds the account of a “This wasn't me” link; null if it was used, has expired or never existed. The link
 * works whatever the account's address is now, because somebody who took the account over may have changed it
 * first.
 */
export async function findDisownLink(
  q: Reader | Tx,
  { token }: { token: string },
  nowMs: number,
): Promise<{ userId: string; email: string; actAtMs: number } | null> {
  const [found] = await q
    .select({ userId: users.id, email: emailTokens.email, actAtMs: emailTokens.actAtMs })
    .from(emailTokens)
    .innerJoin(users, and(eq(users.id, emailTokens.userId), isNull(users.deletedAtMs)))
    .where(
      and(
        eq(emailTokens.tokenHash, hashOf(token)),
        eq(emailTokens.purpose, 'disown'),
        isNull(emailTokens.usedAtMs),
        gt(emailTokens.expiresAtMs, nowMs),
      ),
    );
  return found ? { ...found, actAtMs: found.actAtMs ?? nowMs } : null;
}

/**
 * Returns whether a “This wasn't me” link would still last, but was used, or its owner ended a freeze after
 * it was mailed.
 */
export async function isDisownSettled(
  q: Reader,
  { token }: { token: string },
  nowMs: number,
): Promise<boolean> {
  const isIt = and(
    eq(emailTokens.tokenHash, hashOf(token)),
    eq(emailTokens.purpose, 'disown'),
    isNotNull(emailTokens.usedAtMs),
    gt(emailTokens.expiresAtMs, nowMs),
  );
  return (await q.$count(emailTokens, isIt)) > 0;
}

/**
 * Ends every way into an account at once, by the link of a mail about something that its owner did not do: sessions, API
 * tokens, codes of the companion app, the addresses of an overlay and its dock, second steps under way, a change of the address that is not confirmed, and a shorter
 * delay of new rules that is not in force; and freezes what was given away since then (see `freezeAccount`). It needs no
 * session, and gives none. Each link works once, within seven days; the links of other mails stay until a freeze ends.
 */
export async function disownAccess(
  db: Database,
  asked: { token: string },
  nowMs: number,
): Promise<Outcome<EndedAccess, Code>> {
  return refusable<Outcome<EndedAccess, Code>, Code>(() => db.transaction((tx) => disown(tx, asked, nowMs)));
}

async function disown(
  tx: Tx,
  { token }: { token: string },
  nowMs: number,
): Promise<Outcome<EndedAccess, Code>> {
  const link = await findDisownLink(tx, { token }, nowMs);
  if (!link) return refuse('disownLinkBad');
  const { userId, actAtMs } = link;
  const frozen = await freezeAccount(tx, { userId, actAtMs }, nowMs);
  // Locks the account's row: an act in a session that ends here is either finished before, or finds its
  // session ended.
  await tx.update(users).set({ locale: users.locale }).where(eq(users.id, userId));
  // Thrown so that the freeze is rolled back when another request has used the link.
  if (!(await consumeEmailLink(tx, { tokenHash: hashOf(token) }, nowMs)))
    throw new Refused<Code>('disownLinkBad');
  await consumeEmailLinks(tx, { userId, purposes: ['change'] }, nowMs);
  await tx
    .update(users)
    .set({ nextSendDelayHours: null, nextSendDelayAtMs: null })
    .where(and(eq(users.id, userId), gt(users.nextSendDelayAtMs, nowMs)));
  const revoked = await tx
    .delete(apiTokens)
    .where(eq(apiTokens.userId, userId))
    .returning({ id: apiTokens.id });
  await replaceOverlaySecrets(tx, userId, nowMs);
  const sessions = await endOtherAccess(tx, { userId, currentToken: null });
  await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
  return done({ sessions, tokens: revoked.length, frozenRules: frozen.rules });
}
