import { expect, test } from 'vitest';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listRulePromises, listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { countRuleViewers, listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { owned } from '#tests/support/looking.ts';
import { addPointsRule } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const watch = (pairs: [string, number][]) => watchFor(db, streamer.twitchId, pairs);
const own = {
  get ownerId() {
    return streamer.userId;
  },
};

test('A rule is listed with its conditions and pool counts', async () => {
  const ruleId = await addRule(db, streamer, { name: 'Ten hours', watchMinutes: 600, rewards: 3 });
  const viewers = [await addPerson(db), await addPerson(db)];
  await watch(viewers.map((viewer) => [viewer.twitchId, 600 * 60]));
  await evaluateChannel(db, streamer.twitchId, START_MS + hour);
  const { rows } = await listRules(db, own);
  expect(rows).toMatchObject([
    {
      id: ruleId,
      name: 'Ten hours',
      watchMinutes: 600,
      followDays: null,
      state: 'open',
      pool: { free: 1, promised: 2, reserved: 0, claimed: 0, recalled: 0 },
      waiting: 0,
    },
  ]);
  expect(rows[0]).not.toHaveProperty('seed');
  expect(await getRule(db, { ruleId, ...own })).toMatchObject({ id: ruleId, pool: { free: 1 } });
});

test('Viewers who met a rule without free rewards are counted as waiting', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  const viewers = await Promise.all([1, 2, 3].map(() => addPerson(db)));
  await watch(viewers.map((viewer) => [viewer.twitchId, 3600]));
  await evaluateChannel(db, streamer.twitchId, START_MS);
  expect(await getRule(db, { ruleId, ...own })).toMatchObject({
    waiting: 2,
    pool: { free: 0, promised: 1 },
  });
});

test("Another streamer's rule is treated as unknown", async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const other = await addStreamer(db);
  expect(await getRule(db, { ruleId, ownerId: other.userId })).toBeNull();
  expect((await listRules(db, { ownerId: other.userId })).rows).toEqual([]);
});

test('Rules can be filtered by name and state, page by page', async () => {
  const ids: string[] = [];
  for (const name of ['One', 'Two', 'Three', 'Four'])
    ids.push(await addRule(db, streamer, { name, rewards: 0, nowMs: START_MS + ids.length * hour }));
  await closeRule(db, { ruleId: ids[1]!, userId: streamer.userId }, START_MS + day);
  const names = async (more: object) =>
    (await listRules(db, { ...own, ...more })).rows.map((row) => row.name);
  expect(await names({})).toEqual(['Four', 'Three', 'Two', 'One']);
  expect(await names({ states: ['closed'] })).toEqual(['Two']);
  expect(await names({ search: 't' })).toEqual(['Three', 'Two']);
  const first = await listRules(db, { ...own, size: 3 });
  expect(first.rows.map((row) => row.name)).toEqual(['Four', 'Three', 'Two']);
  const second = await listRules(db, { ...own, size: 3, after: first.next });
  expect(second).toMatchObject({ rows: [{ name: 'One' }], next: null });
});

test("A rule's rewards are counted by kind and state, and its promises listed", async () => {
  const ruleId = await addRule(db, streamer, { rewards: 2 });
  const viewer = await addPerson(db);
  await watch([[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  expect(await listRuleRewards(db, owned(ruleId))).toMatchObject([
    { marketHashName: 'Demo case', free: 1, promised: 1, reserved: 0, claimed: 0, recalled: 0 },
  ]);
  const { rows, next } = await listRulePromises(db, owned(ruleId));
  expect(next).toBeNull();
  expect(rows).toMatchObject([
    { state: 'promised', itemName: 'Demo case', promisedAtMs: START_MS, claimUntilMs: START_MS + 72 * hour },
  ]);
  expect(rows[0]?.viewerName).toMatch(/^Demo_Person_/);
});

test('Viewers in progress are those who began, closest first, without the owner and those who met it', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 60, followDays: 30, rewards: 1 });
  const [near, far, follower, met] = [
    await addPerson(db),
    await addPerson(db),
    await addPerson(db),
    await addPerson(db),
  ];
  await addPerson(db);
  await watch([
    [near.twitchId, 3000],
    [far.twitchId, 60],
    [met.twitchId, 3600],
    [streamer.twitchId, 3600],
    ['777', 3000],
  ]);
  const followers = [follower, met].map(({ twitchId }) => ({ twitchId, followedAtMs: START_MS - 40 * day }));
  await recordFollows(db, { channelId: streamer.twitchId, followers, complete: false });
  await evaluateChannel(db, streamer.twitchId, START_MS);

  // Each lacks a condition altogether: what they have of the others decides.
  const first = await listRuleViewers(db, owned(ruleId), { size: 2 }, START_MS);
  expect(first.total).toBe(3);
  expect(first.rows).toMatchObject([
    {
      twitchId: follower.twitchId,
      progress: { follow: { haveDays: 40, met: true }, watch: { haveSeconds: 0 } },
    },
    {
      twitchId: near.twitchId,
      progress: { watch: { haveSeconds: 3000, needSeconds: 3600, met: false }, met: false },
    },
  ]);
  const second = await listRuleViewers(db, owned(ruleId), { size: 2, after: first.next }, START_MS);
  expect(second).toMatchObject({
    next: null,
    total: null,
    rows: [{ twitchId: far.twitchId, progress: { follow: { haveDays: 0, needDays: 30, met: false } } }],
  });
});

test('Viewers are listed by what they lack most, whatever else they have', async () => {
  const asked = { rewards: 0, watchMinutes: 60, watchScope: 'allTime', followDays: 100 } as const;
  const ruleId = await addRule(db, streamer, { ...asked, subscriberTier: 2 });
  const people = await Promise.all([30, 50, 90, 70].map(() => addPerson(db)));
  const [watching, even, soon, subscribed] = people.map(({ twitchId }) => twitchId) as [
    string,
    string,
    string,
    string,
  ];
  await watch([
    [watching, 3500],
    [even, 1800],
    [soon, 3240],
    [subscribed, 36],
  ]);
  const followed = (days: number) => START_MS - days * 24 * hour;
  const followers = [
    { twitchId: watching, followedAtMs: followed(3) },
    { twitchId: even, followedAtMs: followed(55) },
    { twitchId: soon, followedAtMs: followed(90) },
    { twitchId: subscribed, followedAtMs: followed(99) },
  ];
  await recordFollows(db, { channelId: streamer.twitchId, followers, complete: false });
  const subscribers = [watching, even, soon, subscribed].map((twitchId) => ({ twitchId, tier: 2 as const }));
  await recordSubscribers(db, { channelId: streamer.twitchId, subscribers, readAtMs: START_MS });
  const order = [];
  let after: string | null = null;
  do {
    const page = await listRuleViewers(db, owned(ruleId), { size: 1, after }, START_MS);
    order.push(...page.rows.map(({ twitchId }) => twitchId));
    after = page.next;
  } while (after !== null);
  expect(order).toEqual([soon, even, watching, subscribed]);
});

test('Viewers in progress are counted without listing them, by what the rule asks for alone', async () => {
  const [watcher, subscriber] = [await addPerson(db), await addPerson(db)];
  await watch([[watcher.twitchId, 60]]);
  const subscribers = [{ twitchId: subscriber.twitchId, tier: 1 as const }];
  await recordSubscribers(db, { channelId: streamer.twitchId, subscribers, readAtMs: START_MS });
  const asking = { rewards: 0, watchMinutes: null };
  const rules = {
    watched: await addRule(db, streamer, { rewards: 0, watchMinutes: 60, watchScope: 'allTime' }),
    subscribed: await addRule(db, streamer, { ...asking, subscriberTier: 2 }),
    both: await addRule(db, streamer, {
      rewards: 0,
      watchMinutes: 60,
      watchScope: 'allTime',
      subscriberTier: 2,
    }),
    redeemed: await addPointsRule(db, streamer),
  };
  const found: Record<string, unknown> = {};
  for (const [name, ruleId] of Object.entries(rules)) {
    const { rows, total } = await listRuleViewers(db, owned(ruleId), {}, START_MS);
    expect(await countRuleViewers(db.read, owned(ruleId))).toBe(total);
    found[name] = rows.map(({ twitchId }) => twitchId);
  }
  expect(found).toEqual({
    watched: [watcher.twitchId],
    subscribed: [subscriber.twitchId],
    both: [watcher.twitchId, subscriber.twitchId],
    redeemed: [],
  });
});
