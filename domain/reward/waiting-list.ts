import { and, asc, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { qualifications } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';

/** What serving a rule needs to know of it. */
export interface ServedRule {
  id: string;
  name: string;
  ownerId: string;
  channelId: string;
  channelName: string;
  claimTimeoutHours: number;
  seed: string;
  /** Whether the channel wants promises told in its chat. */
  announces: boolean;
}

/** Who waits on a rule, in the one order in which it serves. Twitch accounts may have changed hands since they qualified, so owner and broadcaster are left out here as well. */
export const nextWaiting = (tx: Tx, rule: Pick<ServedRule, 'id' | 'ownerId' | 'channelId'>, most: number) =>
  tx
    .select({
      twitchId: qualifications.twitchId,
      displayName: twitchAccounts.displayName,
      userId: users.id,
      email: users.email,
      name: users.name,
      locale: users.locale,
      notifyByMail: users.notifyByMail,
    })
    .from(qualifications)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, qualifications.twitchId))
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(
      and(
        eq(qualifications.ruleId, rule.id),
        isNull(qualifications.promisedAtMs),
        ne(users.id, rule.ownerId),
        ne(qualifications.twitchId, rule.channelId),
      ),
    )
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak), asc(qualifications.twitchId))
    .limit(most);

export type Waiting = Awaited<ReturnType<typeof nextWaiting>>[number];

/** Takes the served off the list. */
export async function markServed(
  tx: Tx,
  { ruleId, twitchIds }: { ruleId: string; twitchIds: readonly string[] },
  nowMs: number,
): Promise<void> {
  if (twitchIds.length === 0) return;
  await tx
    .update(qualifications)
    .set({ promisedAtMs: nowMs })
    .where(and(eq(qualifications.ruleId, ruleId), inArray(qualifications.twitchId, [...twitchIds])));
}
