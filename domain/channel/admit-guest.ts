import { desc, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { announce } from '#domain/outbox/announce.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { resumeRulesOf } from '#domain/rule/pause-rules.ts';

export type AdmitRefusal =
  /** The broadcaster has no Twitch account linked, and so no channel. */
  | 'twitchNotLinked'
  /** Nobody here has linked a Twitch account of this login. */
  | 'strangerLogin'
  | 'ownLogin';

interface Admitted {
  guestId: string;
  name: string;
  openedRuleIds: string[];
}

/**
 * A broadcaster lets another streamer, by their Twitch login, run rules on the channel; rules of theirs that were paused
 * because they were no longer admitted go on. Admitting twice changes nothing.
 */
export async function admitGuest(
  database: Database,
  { userId, login }: { userId: string; login: string },
  nowMs: number,
): Promise<Outcome<{ guestId: string; name: string }, AdmitRefusal>> {
  const channelId = await findChannelOf(database.read, userId);
  if (!channelId) return refuse('twitchNotLinked');
  const admitted = await database.transaction<Outcome<Admitted, AdmitRefusal>>(
    async (tx) => {
      // The login names whoever holds it now; from here on the account counts, however it is renamed.
      const [guest] = await tx
        .select({ userId: twitchAccounts.userId, name: twitchAccounts.displayName })
        .from(twitchAccounts)
        .where(eq(twitchAccounts.login, login.toLowerCase()))
        // Of two who are stored under one login, the later told it to us last.
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
  await evaluateRules(database, openedRuleIds, nowMs);
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
