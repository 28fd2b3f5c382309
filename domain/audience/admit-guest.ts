import { desc, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { resumeRulesOf } from '#domain/rule/pause-rules.ts';

export type AdmitRefusal =
  /** The broadcaster has no Twitch account linked, and so no channel. */
  | 'twitchNotLinked'
  /** No user has linked a Twitch account with this login. */
  | 'strangerLogin'
  | 'ownLogin';

interface Admitted {
  guestId: string;
  name: string;
  openedRuleIds: string[];
}

/**
 * Allows another streamer, named by Twitch login, to run rules on the broadcaster's channel; the guest's rules that
 * were paused for lack of admission resume. Admitting twice changes nothing.
 */
export async function admitGuest(
  db: Database,
  { userId, login }: { userId: string; login: string },
  nowMs: number,
): Promise<Outcome<{ guestId: string; name: string }, AdmitRefusal>> {
  const channelId = await findChannelOf(db.read, userId);
  if (!channelId) return refuse('twitchNotLinked');
  const admitted = await db.transaction<Outcome<Admitted, AdmitRefusal>>(
    async (tx) => {
      // The login is resolved to an account once; later renames do not matter.
      const [guest] = await tx
        .select({ userId: twitchAccounts.userId, name: twitchAccounts.displayName })
        .from(twitchAccounts)
        .where(eq(twitchAccounts.login, login.toLowerCase()))
        // If two stored accounts have the same login, the one updated last holds it.
        .orderBy(desc(twitchAccounts.tokenObtainedAtMs))
        .limit(1);
      if (!guest) return refuse('strangerLogin');
      if (guest.userId === userId) return refuse('ownLogin');
      const openedRuleIds = await admit(tx, { channelId, guestId: guest.userId }, nowMs);
      return done({ guestId: guest.userId, name: guest.name, openedRuleIds });
    },
    { lock: channelLock(channelId) },
  );
  if (!admitted.ok) return admitted;
  const { openedRuleIds, ...outcome } = admitted;
  await evaluateRules(db, openedRuleIds, nowMs);
  return outcome;
}

async function admit(
  tx: Tx,
  { channelId, guestId }: { channelId: string; guestId: string },
  nowMs: number,
): Promise<string[]> {
  await tx
    .insert(channelGuests)
    .values({ channelId, userId: guestId, admittedAtMs: nowMs })
    .onConflictDoNothing();
  const openedRuleIds = await resumeRulesOf(
    tx,
    { ownerId: guestId, channelId, reason: 'optInRevoked' },
    nowMs,
  );
  await announce(tx, [{ userId: guestId, kind: 'channel.changed', subjectId: channelId }], nowMs);
  return openedRuleIds;
}
