import type { Database } from '#db/database.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { watchFor } from '#tests/support/watching.ts';

/** A rule on the streamer's channel that these viewers have met; as many get a promise as there are rewards. */
export async function promiseTo(
  db: Database,
  streamer: Person,
  viewers: readonly Person[],
  facts: Parameters<typeof addRule>[2] = {},
) {
  const nowMs = facts.nowMs ?? START_MS;
  const ruleId = await addRule(db, streamer, { rewards: viewers.length, watchMinutes: 10, ...facts });
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 10 * 60] as const),
  );
  await evaluateChannel(db, streamer.twitchId, nowMs);
  return { ruleId, rewards: await rewardsOf(db, ruleId) };
}
