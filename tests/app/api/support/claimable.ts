import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { follows } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { day } from '#domain/kernel/time.ts';
import { addPerson, addRule, type Person } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { signIn } from './people.ts';

/** Promises a viewer a reward for following the streamer; a bot must exist. */
export async function claimable(db: Database, owner: Person, facts: { tradeToken?: null } = {}) {
  const nowMs = Date.now();
  const person = await addPerson(db, { nowMs, ...facts });
  // The only follower, so that no earlier rule's viewer is served first.
  await db.transaction((tx) => tx.delete(follows).where(eq(follows.channelId, owner.twitchId)));
  const follower = { twitchId: person.twitchId, followedAtMs: nowMs - 30 * day };
  await recordFollows(db, {
    channelId: owner.twitchId,
    followers: [follower],
    complete: true,
    readAtMs: nowMs,
  });
  const asked = { rewards: 1, followDays: 7, watchMinutes: null, nowMs };
  const ruleId = await addRule(db, owner, asked);
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  if (reward?.userId !== person.userId) throw new Error('nothing was promised');
  return { ...person, ruleId, rewardId: reward.id, app: await signIn(person) };
}
