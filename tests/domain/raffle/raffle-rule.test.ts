import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rules } from '#db/schema/rule.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { conditionColumns } from '#domain/condition/conditions.ts';
import { newId } from '#domain/kernel/id.ts';
import { refuse } from '#domain/kernel/outcome.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import { findRaffleOfRule } from '#domain/raffle/find-raffle-of-rule.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { findRuleOf } from '#domain/rule/find-rule.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import {
  addRaffle,
  drawRaffle,
  enter,
  raffleDraft,
  raffleOf,
  readLists,
  stock,
} from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('The rule of a raffle is none of the streamer’s own, asks what the raffle asks, and leads to it', async () => {
  const raffleId = await addRaffle(db, streamer);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const ownerId = streamer.userId;
  expect((await listRules(db, { ownerId })).rows.map(({ id }) => id)).toEqual([ruleId]);
  expect(await getRule(db, { ruleId: raffleId, ownerId })).toBeNull();
  expect(await findRaffleOfRule(db.read, { ruleId: raffleId, ownerId })).toMatchObject({ id: raffleId });
  expect(await findRaffleOfRule(db.read, { ruleId, ownerId })).toBeNull();
  expect(await findRuleOf(db.read, raffleId, ownerId)).toBeNull();
  expect(await closeRule(db, { ruleId: raffleId, userId: ownerId }, START_MS)).toEqual(refuse('notFound'));
  const [rule] = await db.read.select(conditionColumns).from(rules).where(eq(rules.id, raffleId));
  expect(rule).toEqual({ ...nothingAsked, watchScope: 'allTime' });
  const exported = (await exportAccount(db, { userId: ownerId }, START_MS)) as {
    rules: { id: string }[];
    raffles: object[];
  };
  expect(exported.rules.map(({ id }) => id)).toEqual([ruleId]);
  expect(exported.raffles).toMatchObject([{ id: raffleId, followDays: null, winnersOutDays: 0 }]);
});

test('A raffle for followers starts once their list is read, which is kept until it is over', async () => {
  const viewer = await addPerson(db);
  await stock(db, streamer, 1);
  const draft = raffleDraft({ conditions: { ...nothingAsked, followDays: 1 } });
  const raffleId = newId(START_MS);
  await prepareRaffle(db, { requestId: raffleId, userId: streamer.userId, draft }, START_MS);
  const unread = { ok: false, code: 'listUnread' };
  expect(await startRaffle(db, { raffleId }, START_MS)).toEqual(unread);
  // As a rule that was closed long ago has left it.
  await readLists(db, streamer, START_MS - 30 * day);
  expect(await startRaffle(db, { raffleId }, START_MS)).toEqual(unread);
  await readLists(db, streamer, START_MS + second);
  expect(await startRaffle(db, { raffleId }, START_MS + minute)).toMatchObject({ ok: true });
  const followers = [{ twitchId: viewer.twitchId, followedAtMs: START_MS - 40 * day }];
  await recordFollows(db, { channelId: streamer.twitchId, followers, complete: false });
  const twitchIds = [viewer.twitchId];
  await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds, nowMs: START_MS + minute });
  await drawRaffle(db, START_MS + 6 * minute);
  expect(await raffleOf(db, raffleId)).toMatchObject({ state: 'drawn', entryCount: 1 });
  expect(await listWatchedChannels(db.read)).toMatchObject([
    { id: streamer.twitchId, needs: { follow: true } },
  ]);
});
