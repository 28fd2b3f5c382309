import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { waitingFor } from '#domain/rule/list-rules.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { listRuleNeeds } from '#domain/view/list-rule-needs.ts';
import { findPlacesInLine, listWaiting } from '#domain/view/list-waiting.ts';
import { progressOfViewer } from '#domain/view/progress-of-viewer.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { owned, rewardsOf } from '#tests/support/looking.ts';
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

async function nameOf({ userId }: Person): Promise<string | undefined> {
  const accounts = await db.read.select().from(twitchAccounts).where(eq(twitchAccounts.userId, userId));
  return accounts[0]?.displayName;
}

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

test('A second Twitch account of somebody who has a promise is not shown as waiting', async () => {
  const { person, others } = await personOfFour();
  const [second] = others;
  const late = await addPerson(db);
  const ruleId = await addRule(db, streamer, { rewards: 1, watchMinutes: 2 });
  await watchFor(
    db,
    streamer.twitchId,
    [person.twitchId, second].map((twitchId) => [twitchId, 3 * 60] as const),
  );
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await connectInstead(person, second);
  await evaluateChannel(db, streamer.twitchId, START_MS + minute);
  await watchFor(db, streamer.twitchId, [[late.twitchId, 3 * 60]]);
  await evaluateChannel(db, streamer.twitchId, START_MS + hour);
  expect(await promisesOf(ruleId)).toEqual([[person.userId, person.twitchId]]);
  const { rows } = await listWaiting(db, owned(ruleId));
  expect(rows.map(({ place, twitchId }) => [place, twitchId])).toEqual([[1, late.twitchId]]);
  const placeOf = async ({ userId }: Person) =>
    (await findPlacesInLine(db, { userId, ruleIds: [ruleId] })).get(ruleId);
  expect(await placeOf(person)).toBeUndefined();
  expect(await placeOf(late)).toEqual({ place: 1, waiting: 1 });
  expect((await waitingFor(db, [ruleId])).get(ruleId)).toBe(1);
  const faces = [{ displayName: await nameOf(late) }];
  expect(await listRuleNeeds(db, { ownerId: streamer.userId }, START_MS + hour)).toMatchObject({
    waiting: { viewers: 1, rule: { id: ruleId, waiting: 1 }, sinceMs: START_MS + hour, faces },
  });
});
