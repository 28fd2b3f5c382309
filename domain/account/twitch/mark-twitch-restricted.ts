import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { announce } from '#domain/outbox/announce.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';

/**
 * Marks a grant as revoked or lacking a scope, so that its owner is asked to reconnect. Rules on the channel pause,
 * guests' rules too, and the owner is mailed once. `obtainedAtMs` identifies the failed grant; a newer one is left
 * unchanged.
 */
export async function markTwitchRestricted(
  db: Database,
  input: { twitchId: string; obtainedAtMs: number },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'twitchGrantReplaced'>>> {
  const { twitchId, obtainedAtMs } = input;
  return db.transaction(async (tx) => {
    const ofGrant = and(
      eq(twitchAccounts.twitchId, twitchId),
      eq(twitchAccounts.tokenObtainedAtMs, obtainedAtMs),
    );
    const [account] = await tx.select().from(twitchAccounts).where(ofGrant);
    if (!account) return refuse('twitchGrantReplaced');
    const changed = await tx
      .update(twitchAccounts)
      .set({ state: 'restricted' })
      .where(and(ofGrant, is(twitchAccounts.state, 'connected')))
      .returning({ twitchId: twitchAccounts.twitchId });
    await pauseRulesOf(tx, { channelId: twitchId, reason: 'lostPermission' }, nowMs);
    if (changed.length === 1) await writeToOwner(tx, account, nowMs);
    await announce(tx, [{ userId: account.userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return done({});
  });
}

async function writeToOwner(
  tx: Tx,
  { userId, twitchId, displayName: channel }: typeof twitchAccounts.$inferSelect,
  nowMs: number,
): Promise<void> {
  const [owner] = await tx.select().from(users).where(eq(users.id, userId));
  if (!owner?.emailVerifiedAtMs) return;
  const { email: recipient, locale, name } = owner;
  const paused = await tx.$count(rules, and(eq(rules.channelId, twitchId), is(rules.state, 'paused')));
  const values = { name, channel, rules: String(paused) };
  await queueMail(tx, { recipient, locale, template: 'twitchRestricted', values }, nowMs);
}
