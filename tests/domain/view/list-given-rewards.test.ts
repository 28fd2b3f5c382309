import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { bots } from '#db/schema/bot.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { type GivenFilters, getGivenReward, listGivenRewards } from '#domain/view/list-given-rewards.ts';
import { listLatestDeliveries } from '#domain/view/list-latest-deliveries.ts';
import {
  acceptOffer,
  addPerson,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let viewer: Person;
let delivered: { ruleId: string; rewardId: string };
let openId: string;
beforeEach(async () => {
  viewer = await addPerson(db);
  const first = await promiseTo(db, streamer, [viewer], { name: 'Delivered' });
  delivered = { ruleId: first.ruleId, rewardId: first.rewards[0]!.id };
  await claimReward(db, { rewardId: delivered.rewardId, userId: viewer.userId }, START_MS);
  await sendQueued(db, START_MS);
  const transfer = await transferOf(delivered.rewardId);
  await acceptOffer(db, transfer.id, await assetsIn(db, transfer.id), START_MS + 60_000);
  await promiseTo(db, streamer, [viewer], { name: 'Missed', nowMs: START_MS + day });
  await expirePromises(db, START_MS + 5 * day, Date.now());
  const open = await promiseTo(db, streamer, [viewer], { name: 'Open', nowMs: START_MS + 6 * day });
  openId = open.rewards[0]!.id;
});

async function transferOf(rewardId: string) {
  const [transfer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  return transfer!;
}

const find = async (asked: GivenFilters & { ownerId?: string } = {}) =>
  (await listGivenRewards(db, { ownerId: streamer.userId, ...asked })).rows.map(({ ruleName }) => ruleName);

test('All promises of a streamer’s rules are listed with their dates, latest first', async () => {
  const { rows, next } = await listGivenRewards(db, { ownerId: streamer.userId });
  const { id, offerId } = await transferOf(delivered.rewardId);
  expect(rows).toMatchObject([
    { ruleName: 'Open', status: 'promised', transferId: null, claimedAtMs: null },
    { ruleName: 'Missed', status: 'timedOut', deliveredAtMs: null },
    {
      ruleName: 'Delivered',
      status: 'delivered',
      transferId: id,
      offerId,
      claimedAtMs: START_MS,
      sentAtMs: START_MS,
      deliveredAtMs: START_MS + 60_000,
      reversedAtMs: null,
    },
  ]);
  expect(rows[0]?.viewer?.displayName).toBeTruthy();
  expect([next, await find({ ownerId: viewer.userId })]).toEqual([null, []]);
});

test('A bot is named as on Steam, once its profile was read', async () => {
  const named = async () =>
    (await listGivenRewards(db, { ownerId: streamer.userId })).rows.map(({ botName }) => botName);
  const { botId } = await transferOf(delivered.rewardId);
  expect(await named()).toEqual([null, null, botId]);
  await db.transaction((tx) =>
    tx.update(bots).set({ profileName: 'Keepsake Delivery 7' }).where(eq(bots.id, botId)),
  );
  expect(await named()).toEqual([null, null, 'Keepsake Delivery 7']);
});

test('The latest deliveries are what reached viewers, each of its own streamer', async () => {
  const latest = (ownerId: string) => listLatestDeliveries(db, { ownerId, limit: 6 });
  const { rows } = await listGivenRewards(db, { ownerId: streamer.userId, statuses: ['delivered'] });
  const [{ item, viewer: receiver }] = rows as [(typeof rows)[number]];
  expect(await latest(streamer.userId)).toEqual([
    { id: delivered.rewardId, item, viewer: receiver, atMs: START_MS + 60_000 },
  ]);
  const another = await addStreamer(db);
  expect(await latest(another.userId)).toEqual([]);
});

test('Status, rule and dates filter the list', async () => {
  expect(await find({ statuses: ['promised'] })).toEqual(['Open']);
  expect(await find({ statuses: ['timedOut'] })).toEqual(['Missed']);
  expect(await find({ statuses: ['delivered'] })).toEqual(['Delivered']);
  for (const status of ['claimed', 'offerSent', 'final', 'reversed', 'recalled'] as const)
    expect(await find({ statuses: [status] })).toEqual([]);
  expect(await find({ ruleId: delivered.ruleId })).toEqual(['Delivered']);
  expect(await find({ fromMs: START_MS + day })).toEqual(['Open', 'Missed']);
  expect(await find({ untilMs: START_MS + day })).toEqual(['Delivered']);
});

test('A claimed reward is claimed until its offer is sent', async () => {
  const ask = { rewardId: openId, userId: viewer.userId };
  await claimReward(db, ask, START_MS + 6 * day);
  expect(await find({ statuses: ['claimed'] })).toEqual(['Open']);
  await sendQueued(db, START_MS + 6 * day);
  expect([await find({ statuses: ['claimed'] }), await find({ statuses: ['offerSent'] })]).toEqual([
    [],
    ['Open'],
  ]);
});

test('The search looks for viewers, items, rules and Steam offers', async () => {
  const [account] = await db.read
    .select()
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, viewer.twitchId));
  expect(await find({ search: account!.displayName.toUpperCase() })).toHaveLength(3);
  const { rows } = await listGivenRewards(db, { ownerId: streamer.userId });
  expect(await find({ search: rows[0]!.item.marketHashName })).toContain('Open');
  expect(await find({ search: 'MISS' })).toEqual(['Missed']);
  const { offerId } = await transferOf(delivered.rewardId);
  expect(await find({ search: offerId! })).toEqual(['Delivered']);
  expect(await find({ search: offerId!, statuses: ['timedOut'] })).toEqual([]);
  expect([await find({ search: '%' }), await find({ search: '99999999999' })]).toEqual([[], []]);
});

test('Another streamer finds nothing by the number of an offer, a rule or a reward', async () => {
  const { userId: ownerId } = await addStreamer(db);
  const { offerId } = await transferOf(delivered.rewardId);
  expect(await find({ ownerId, search: offerId! })).toEqual([]);
  expect(await find({ ownerId, ruleId: delivered.ruleId })).toEqual([]);
  expect(await getGivenReward(db, { rewardId: delivered.rewardId, ownerId })).toBeNull();
});

test('One reward says when its viewer met the rule', async () => {
  const asked = { rewardId: delivered.rewardId, ownerId: streamer.userId };
  expect(await getGivenReward(db, asked)).toMatchObject({
    id: delivered.rewardId,
    status: 'delivered',
    qualifiedAtMs: START_MS,
    drawNumber: null,
  });
});

test.each([{}, { statuses: ['promised'] as const }])('Pages follow one another with %j', async (filters) => {
  const names: string[] = [];
  let after: string | null = null;
  do {
    const page = await listGivenRewards(db, { ownerId: streamer.userId, ...filters, size: 1, after });
    names.push(...page.rows.map(({ ruleName }) => ruleName));
    after = page.next;
  } while (after !== null);
  expect(names).toEqual('statuses' in filters ? ['Open'] : ['Open', 'Missed', 'Delivered']);
});
