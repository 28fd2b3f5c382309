import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { progressOfViewer } from '#domain/view/progress-of-viewer.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { addPointsRule, redeem, redemptionOf } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

/** Disconnects a person's Twitch account and connects another one, which nobody has. */
async function connectInstead({ userId }: Person, twitchId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(twitchAccounts).set({ twitchId }).where(eq(twitchAccounts.userId, userId));
  });
}

/** A person, and the ids of three further Twitch accounts of theirs. */
const personOfFour = async () => ({
  person: await addPerson(db),
  others: ['70001', '70002', '70003'] as const,
});

const promisesOf = async (ruleId: string) =>
  (await rewardsOf(db, ruleId)).flatMap(({ userId, twitchId }) => (userId ? [[userId, twitchId]] : []));

test.each(['one', 'random'] as const)(
  'Four Twitch accounts of one account get one promise of a rule (%s), and hold up nobody',
  async (type) => {
    const { person, others } = await personOfFour();
    const late = await addPerson(db);
    const ruleId = await addRule(db, streamer, { type, rewards: 6, watchMinutes: 2 });
    await watchFor(
      db,
      streamer.twitchId,
      [person.twitchId, ...others].map((twitchId) => [twitchId, 3 * 60] as const),
    );
    await evaluateChannel(db, streamer.twitchId, START_MS);
    for (const twitchId of others) {
      await connectInstead(person, twitchId);
      await evaluateChannel(db, streamer.twitchId, START_MS + minute);
    }
    await watchFor(db, streamer.twitchId, [[late.twitchId, 3 * 60]]);
    await evaluateChannel(db, streamer.twitchId, START_MS + hour);
    expect(await promisesOf(ruleId)).toEqual([
      [person.userId, person.twitchId],
      [late.userId, late.twitchId],
    ]);
  },
);

test('Points of a second Twitch account are refunded, and no page waits for its promise', async () => {
  const { person, others } = await personOfFour();
  const [second] = others;
  const ruleId = await addPointsRule(db, streamer, { rewards: 3 });
  expect(await redeem(db, ruleId, person)).toMatchObject({ ok: true });
  await connectInstead(person, second);
  const { reported } = await redeem(db, ruleId, { twitchId: second });
  expect(await redemptionOf(db, reported.id)).toMatchObject({ refundReason: 'alreadyPromised' });
  expect(await promisesOf(ruleId)).toEqual([[person.userId, person.twitchId]]);
  expect((await listProgress(db, { userId: person.userId }, START_MS)).rows).toEqual([]);
  const viewer = { channelId: streamer.twitchId, twitchId: second };
  expect(await progressOfViewer(db, viewer, START_MS)).toMatchObject({
    rules: [{ ruleId, standing: 'readyToClaim' }],
  });
});
