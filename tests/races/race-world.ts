import { count, countDistinct, eq, isNotNull, isNull, max } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, isPostgres } from '#db/dialect.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { draws } from '#db/schema/draw.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, type RuleType } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { inPlaces } from '#domain/raffle/entry-list.ts';
import { recordAnnounced } from '#domain/raffle/record-announced.ts';
import { recordEntries } from '#domain/raffle/record-entries.ts';
import { ANNOUNCED_FOR_MS, GRACE_MS, runRaffles } from '#domain/raffle/run-raffles.ts';
import { beginCustomReward, confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addBot, addPerson, addRule, addStreamer, asset, START_MS } from '#tests/support/fixtures.ts';
import { addRaffle, entriesOf, raffleOf } from '#tests/support/raffles.ts';

export interface RaceAmounts {
  viewers: number;
  rewards: number;
  type: RuleType;
  pointsCost: number | null;
}

/** A database in which all viewers have just crossed a rule's threshold, and nobody has been evaluated. */
export async function makeWorld(db: Database, amounts: RaceAmounts) {
  await addBot(db);
  const streamer = await addStreamer(db);
  const { type, pointsCost, rewards: pool } = amounts;
  const asked = { type, pointsCost, watchMinutes: 10, watchScope: 'allTime', rewards: pool } as const;
  const ruleId = await addRule(db, streamer, asked);
  const twitchRewardId = 'twitch-reward-of-the-race';
  if (pointsCost !== null) {
    await beginCustomReward(db, { ruleId, channelId: streamer.twitchId });
    await confirmCustomReward(db, { ruleId, twitchRewardId, state: 'enabled' }, START_MS);
  }
  const viewers: string[] = [];
  for (let each = 0; each < amounts.viewers; each++) viewers.push((await addPerson(db)).twitchId);
  const watched = { channelId: streamer.twitchId, seconds: 600, nextCheckSeconds: 600 };
  await db.transaction(async (tx) => {
    for (const twitchId of viewers) await tx.insert(watchTimes).values({ ...watched, twitchId });
  });
  return { viewers, twitchRewardId, nowMs: START_MS };
}

/** The result of a race. */
export async function findings(db: Database) {
  const [promised] = await db.read
    .select({ promises: count(), viewers: countDistinct(rewards.twitchId) })
    .from(rewards)
    .where(is(rewards.state, 'promised'));
  const [waiting] = await db.read
    .select({ n: count() })
    .from(qualifications)
    .where(isNull(qualifications.promisedAtMs));
  const [drawn] = await db.read.select({ n: count(), last: max(draws.number) }).from(draws);
  return {
    promises: Number(promised?.promises),
    viewersPromised: Number(promised?.viewers),
    waiting: Number(waiting?.n),
    draws: Number(drawn?.n),
    lastDraw: Number(drawn?.last ?? 0),
    paidFor: await db.read.$count(redemptions, isNotNull(redemptions.rewardId)),
    toGiveBack: await db.read.$count(redemptions, eq(redemptions.settlement, 'refund')),
  };
}

/** The same click, sent twice at once; each claim in its own transaction. */
export async function claimTwice(db: Database, { twitchId }: { twitchId: string }) {
  await db.transaction((tx) => evaluateViewer(tx, { twitchId }, START_MS));
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.twitchId, twitchId));
  const claim = { rewardId: reward?.id ?? '', userId: reward?.userId ?? '' };
  const outcomes = await Promise.all([1, 2].map(() => claimReward(db, claim, START_MS)));
  const offers = await db.read
    .select({ id: transfers.id })
    .from(transfers)
    .where(is(transfers.kind, 'claim'));
  return { outcomes: outcomes.map(({ ok }) => ok), offers: offers.length };
}

/** A viewer with this many promised rewards, each of a rule of its own, on an instance that sells plans. */
export async function promiseMany(db: Database, { promises }: { promises: number }) {
  const [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  for (let each = 0; each < promises; each++)
    await addRule(db, streamer, { watchMinutes: 10, watchScope: 'allTime', rewards: 1 });
  await db.transaction(async (tx) => {
    await tx.insert(watchTimes).values({
      channelId: streamer.twitchId,
      twitchId: viewer.twitchId,
      seconds: 600,
      nextCheckSeconds: 600,
    });
    await evaluateViewer(tx, { twitchId: viewer.twitchId }, START_MS);
  });
  await sellPlans(db, true, START_MS);
  const promised = await db.read
    .select({ id: rewards.id })
    .from(rewards)
    .where(eq(rewards.userId, viewer.userId));
  return { userId: viewer.userId, rewardIds: promised.map(({ id }) => id) };
}

/** Claims all of these at once. Returns how many were not refused. */
export async function claimAll(db: Database, { userId, rewardIds }: { userId: string; rewardIds: string[] }) {
  const outcomes = await Promise.all(
    rewardIds.map((rewardId) => claimReward(db, { rewardId, userId }, START_MS)),
  );
  return { claimed: outcomes.filter(({ ok }) => ok).length };
}

/** One stack each of these people, all of one class. */
export async function addStackOwners(db: Database, { people }: { people: number }) {
  const userIds: string[] = [];
  for (let each = 0; each < people; each++) userIds.push((await addPerson(db)).userId);
  return { userIds };
}

/** Asks for a stack of each of these people at once, to be deposited. Returns how many were not refused. */
export async function depositStacks(db: Database, { userIds }: { userIds: string[] }) {
  const outcomes = await Promise.all(
    userIds.map((userId, nth) => {
      const assets = [asset('Demo gems', { appId: 753, assetId: `gems-of-${userId}`, amount: 2 + nth })];
      return requestDeposit(db, { requestId: newId(START_MS), userId, assets }, START_MS, Date.now());
    }),
  );
  return { asked: outcomes.filter(({ ok }) => ok).length };
}

/** A raffle that many have entered, some of them with one line twice, and whose entries have just ended. */
export async function enterRaffle(
  db: Database,
  { entrants, winners }: { entrants: number; winners: number },
) {
  const streamer = await addStreamer(db);
  const raffleId = await addRaffle(db, streamer, { winners });
  const channelId = streamer.twitchId;
  const viewers: string[] = [];
  for (let each = 0; each < entrants; each++) viewers.push((await addPerson(db)).twitchId);
  // The last lines come first, and every third line comes again.
  const late = viewers.slice(entrants / 2).map((twitchId, place) => ({ twitchId, name: twitchId, place }));
  const early = viewers
    .slice(0, entrants / 2)
    .map((twitchId, place) => ({ twitchId, name: twitchId, place }));
  for (const lines of [late, early, late.filter(({ place }) => place % 3 === 0)]) {
    const entered = lines.map(({ place, ...line }) => ({ ...line, enteredAtMs: START_MS + place }));
    await recordEntries(db, { raffleId, channelId, entrants: entered }, START_MS + second);
  }
  const endedAtMs = START_MS + minute;
  await closeRaffle(db, { raffleId }, endedAtMs);
  const closesAtMs = endedAtMs + GRACE_MS;
  const expected = [...late, ...early].map(({ twitchId }) => twitchId);
  return { raffleId, expected, closesAtMs, drawsAtMs: closesAtMs + ANNOUNCED_FOR_MS };
}

/** Takes all raffles further, as the worker of each process does. Returns how many rounds failed. */
export async function takeRafflesOn(db: Database, { nowMs }: { nowMs: number }) {
  let refused = 0;
  await runRaffles(db, nowMs, { onError: () => void refused++ }).catch(() => refused++);
  return { refused };
}

/** Twitch takes the line with the closed list. */
export async function announceList(db: Database, { raffleId, nowMs }: { raffleId: string; nowMs: number }) {
  await recordAnnounced(db, { raffleId }, nowMs);
  return {};
}

/** Reads everything on record of a raffle after processes raced for it. */
export async function raffleFindings(db: Database, { raffleId }: { raffleId: string }) {
  const entries = await entriesOf(db, raffleId);
  const lines = await db.read.select({ raffle: chatAnnouncements.raffle }).from(chatAnnouncements);
  const linesOf = (kind: string) => lines.filter(({ raffle }) => raffle?.kind === kind).length;
  const { state, seed, listHash } = await raffleOf(db, raffleId);
  const places = inPlaces(seed, { raffleId, listHash: listHash ?? '' }, entries);
  return {
    state,
    entries: entries.map(({ twitchId }) => twitchId),
    numbers: entries.map(({ number }) => number),
    sealedLines: linesOf('sealed'),
    drawnLines: linesOf('drawn'),
    promised: entries.filter(({ placeState }) => placeState === 'promised').length,
    promises: await db.read.$count(rewards, is(rewards.state, 'promised')),
    places: entries.map(({ place }) => place),
    expectedPlaces: entries.map(({ number }) => places.findIndex((one) => one.number === number) + 1),
  };
}

const uniqueIndexes = [
  'rewards_one_live_per_item',
  'rewards_one_promise_per_viewer',
  'rewards_one_promise_of_line',
];

/** Removes the database's own guarantees, over a separate connection. */
export async function dropUniqueIndexes(place: { databaseUrl?: string; file: string }): Promise<void> {
  if (isPostgres) {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: place.databaseUrl });
    await client.connect();
    for (const index of uniqueIndexes) await client.query(`drop index ${index}`);
    await client.end();
  } else {
    const BetterSqlite = await loadSqliteDriver();
    const connection = new BetterSqlite(place.file);
    for (const index of uniqueIndexes) connection.exec(`drop index ${index}`);
    connection.close();
  }
}
