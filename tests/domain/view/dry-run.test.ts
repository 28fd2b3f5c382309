import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { attendances, channels, subscribers, watchDays, watchTimes } from '#db/schema/channel.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import type { Conditions } from '#domain/condition/conditions.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { tryRule } from '#domain/rule/try-rule.ts';
import { dryRun } from '#domain/view/dry-run.ts';
import {
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  draft,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { admit as admitTo } from '#tests/support/guests.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();
let channelId: string;
beforeEach(async () => {
  channelId = streamer.twitchId;
  await openDay(today);
});

const openDay = (rolledUpToMs: number | null) =>
  db.transaction(async (tx) => {
    await tx.update(channels).set({ rolledUpToMs }).where(eq(channels.id, channelId));
  });
const today = Math.floor(START_MS / day) * day;
const nothing = { watchMinutes: null, followDays: null };
const run = async (asks: Partial<Conditions>, where = { userId: streamer.userId, channelId }) => {
  const outcome = await dryRun(db, { ...where, draft: draft(asks) }, START_MS);
  if (!outcome.ok) throw new Error(outcome.code);
  return outcome.found;
};

const admit = (guest: Person) => admitTo(db, streamer, guest);

/** A person's watch time: hours on days this long ago, and hours not rolled up yet. */
async function watched(twitchId: string, perDay: Record<number, number>, unrolled = 0) {
  const days = Object.entries(perDay).map(([ago, hours]) => ({
    channelId,
    twitchId,
    dayMs: today - Number(ago) * day,
    seconds: hours * 3600,
  }));
  const rolledSeconds = days.reduce((sum, { seconds }) => sum + seconds, 0);
  await db.transaction(async (tx) => {
    const seconds = rolledSeconds + unrolled * 3600;
    await tx.insert(watchTimes).values({ channelId, twitchId, seconds, rolledSeconds, nextCheckSeconds: 0 });
    if (days.length > 0) await tx.insert(watchDays).values(days);
  });
}

const followersRead = (followers: { twitchId: string; followedAtMs: number }[]) =>
  recordFollows(db, { channelId, followers, complete: true, readAtMs: START_MS });

const subscribersRead = (rows: { twitchId: string; tier: SubscriberTier }[]) =>
  db.transaction(async (tx) => {
    await tx.update(channels).set({ subscribersReadAtMs: START_MS }).where(eq(channels.id, channelId));
    if (rows.length > 0) await tx.insert(subscribers).values(rows.map((row) => ({ channelId, ...row })));
  });

describe('A dry run of watch time', () => {
  test('counts the last 30 days for a rule that starts at zero, and promises nobody at once', async () => {
    const viewer = await addPerson(db);
    await watched(viewer.twitchId, { 40: 20, 29: 1, 5: 2 }, 1);
    await watched('stranger-1', { 30: 9, 3: 1 });
    await watched('stranger-2', { 35: 50 });
    const found = await run({ watchMinutes: 240 });
    expect(found).toMatchObject({ days: 30, viewers: 2, meeting: 1, registered: 1, atOnce: 0, unread: [] });
    expect(found.names).toEqual([expect.stringMatching(/^Demo_Person_/)]);
    expect(await run({ watchMinutes: 241 })).toMatchObject({ viewers: 2, meeting: 0, names: [] });
  });

  test('counts everything for all time, and says who is promised a reward at once', async () => {
    const [viewer, absent] = [await addPerson(db), await addPerson(db)];
    await watched(viewer.twitchId, { 40: 20, 2: 1 });
    await watched(absent.twitchId, { 200: 30 });
    await watched('stranger', { 1: 30 });
    expect(await run({ watchMinutes: 1200, watchScope: 'allTime' })).toMatchObject({
      viewers: 2,
      meeting: 2,
      registered: 1,
      atOnce: 2,
    });
  });

  test('leaves out the broadcaster, the owner, and unverified users', async () => {
    const unverified = await addPerson(db, { verified: false });
    await watched(unverified.twitchId, { 1: 10 });
    await watched(channelId, { 1: 10 });
    const owner = await addStreamer(db);
    await watched(owner.twitchId, { 1: 10 });
    const asks = { watchMinutes: 60, watchScope: 'allTime' } as const;
    await admit(owner);
    expect(await run(asks, { userId: owner.userId, channelId })).toMatchObject({
      viewers: 1,
      meeting: 1,
      registered: 0,
      atOnce: 0,
      names: [],
    });
  });

  test('says when nobody ever watched, and how many days it covers', async () => {
    await openDay(null);
    expect(await run({})).toMatchObject({ days: 0, viewers: 0 });
    await openDay(today);
    await watched('stranger', {}, 2);
    expect(await run({})).toMatchObject({ days: 1, viewers: 1, meeting: 1 });
    await watched('other', { 3: 1 });
    expect(await run({})).toMatchObject({ days: 4, viewers: 2 });
  });
});

test('Watch time on a day that ended more than 30 days ago counts for all time only', async () => {
  const viewer = await addPerson(db);
  await watched(viewer.twitchId, {}, 5);
  await openDay(today - 30 * day);
  expect(await run({ watchMinutes: 60 })).toMatchObject({ viewers: 0, meeting: 0 });
  expect(await run({ watchMinutes: 60, watchScope: 'allTime' })).toMatchObject({ viewers: 0, atOnce: 1 });
});

describe('A large channel', () => {
  const trial = (asks: Partial<Conditions>) => ({
    userId: streamer.userId,
    channelId,
    conditions: draft(asks),
    fromMs: today - 29 * day,
    nowMs: START_MS,
  });

  test('is evaluated in slices, with the same total whatever their size', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => addPerson(db)));
    for (const [place, { twitchId }] of people.entries())
      await watched(twitchId, { 40: 3, [place + 1]: ((place * 3) % 7) + 1 }, place % 2);
    await watched('stranger', { 2: 9 });
    await watched('0', { 2: 1 });
    await followersRead(people.map(({ twitchId }) => ({ twitchId, followedAtMs: START_MS - 9 * day })));
    const drafts = [
      { watchMinutes: 120 },
      { watchMinutes: 400, watchScope: 'allTime' },
      { ...nothing, followDays: 5 },
    ] as const;
    for (const asks of drafts) {
      const whole = await tryRule(db, trial(asks));
      expect(whole).toMatchObject({ viewers: 9 });
      expect(whole.names).toHaveLength(5);
      for (const slice of [1, 2, 4, 9]) expect(await tryRule(db, trial(asks), slice)).toEqual(whole);
    }
  });

  test('does not hold up other work', async () => {
    for (let place = 0; place < 4; place++) await watched(`stranger-${place}`, { 2: 9 });
    let turns = 0;
    let trying = true;
    const another = () => {
      if (!trying) return;
      turns++;
      setImmediate(another);
    };
    setImmediate(another);
    const found = await tryRule(db, trial({ watchMinutes: 60 }), 1);
    trying = false;
    expect(found).toMatchObject({ viewers: 4, meeting: 4, registered: 0, names: [] });
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});

describe('Facts never read from Twitch', () => {
  test('do not count as nobody: without the list of followers a follow rule’s result is unknown', async () => {
    await watched('stranger', { 1: 10 });
    expect(await run({ ...nothing, followDays: 1 })).toMatchObject({
      unread: ['followers'],
      nothingKnown: true,
      atOnce: null,
    });
    expect(await run({ ...nothing, subscriberTier: 1 })).toMatchObject({
      unread: ['subscribers'],
      nothingKnown: true,
      atOnce: null,
    });
  });

  test('leave the other conditions’ result as an upper bound', async () => {
    await watched('stranger', { 1: 10 });
    expect(await run({ watchMinutes: 60, followDays: 1, subscriberTier: 2 })).toMatchObject({
      unread: ['followers', 'subscribers'],
      nothingKnown: false,
      meeting: 1,
    });
  });
});

describe('Follows and subscriptions', () => {
  test('count by age and by tier, together with watch time', async () => {
    const people = [await addPerson(db), await addPerson(db), await addPerson(db)];
    for (const { twitchId } of people) await watched(twitchId, { 1: 2 });
    const [old, young, tierOne] = people.map(({ twitchId }) => twitchId) as [string, string, string];
    await followersRead([
      { twitchId: old, followedAtMs: START_MS - 10 * day },
      { twitchId: young, followedAtMs: START_MS - 10 * day + hour },
      { twitchId: tierOne, followedAtMs: START_MS - 50 * day },
    ]);
    await subscribersRead([
      { twitchId: old, tier: 3 },
      { twitchId: young, tier: 2 },
      { twitchId: tierOne, tier: 1 },
    ]);
    expect(await run({ ...nothing, followDays: 10 })).toMatchObject({ meeting: 2, atOnce: 2 });
    expect(await run({ ...nothing, subscriberTier: 2 })).toMatchObject({ meeting: 2, atOnce: 2 });
    const all = { watchMinutes: 60, followDays: 10, subscriberTier: 2 } as const;
    expect(await run(all)).toMatchObject({ meeting: 1, registered: 1, atOnce: 0, unread: [] });
  });

  test('points cannot be predicted: nobody is promised anything at once', async () => {
    const viewer = await addPerson(db);
    await watched(viewer.twitchId, { 1: 2 });
    expect(await run({ ...nothing, pointsCost: 500 })).toMatchObject({
      viewers: 1,
      meeting: 1,
      pointsToo: true,
      atOnce: 0,
    });
  });

  test('streams cannot be predicted, though a rule of today counts them: only the rest is decided', async () => {
    const [often, once] = [await addPerson(db), await addPerson(db)];
    await watched(often.twitchId, { 1: 2, 2: 1 });
    await watched(once.twitchId, { 1: 1 });
    await db.transaction(async (tx) => {
      const last = { streams: 9, streamNumber: 12, fromSeconds: 0, attended: true };
      await tx.insert(attendances).values({ channelId, twitchId: often.twitchId, ...last });
    });
    const alone = await run({ ...nothing, attendedStreams: 8, ofLastStreams: 10 });
    expect(alone).toMatchObject({ streamsToo: true, nothingKnown: true, atOnce: 0, unread: [] });
    const watching = await run({ ...nothing, attendedStreams: 8, watchMinutes: 150 });
    expect(watching).toMatchObject({ streamsToo: true, nothingKnown: false, meeting: 1, atOnce: 0 });
  });

  test('those counted at once are exactly those promised when the rule is opened', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => addPerson(db)));
    await followersRead(
      people.slice(0, 3).map(({ twitchId }) => ({ twitchId, followedAtMs: START_MS - 5 * day })),
    );
    const asks = { ...nothing, followDays: 5 };
    const { atOnce } = await run(asks);
    const ruleId = await addRule(db, streamer, { ...asks, rewards: 4 });
    const promised = (await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised');
    expect([atOnce, promised.length]).toEqual([3, 3]);
  });
});

test('Without admission, nobody sees another channel’s viewers', async () => {
  const [stranger, viewer] = [await addStreamer(db), await addPerson(db, { scopes: [] })];
  const ask = (userId: string) => dryRun(db, { userId, channelId, draft: draft() }, START_MS);
  expect(await ask(stranger.userId)).toEqual({ ok: false, code: 'notAdmitted' });
  expect(await ask(viewer.userId)).toEqual({ ok: false, code: 'notAdmitted' });
  for (const where of [null, channelId])
    expect(await dryRun(db, { userId: 'nobody', channelId: where, draft: draft() }, START_MS)).toEqual({
      ok: false,
      code: 'twitchNotLinked',
    });
  await admit(stranger);
  expect(await ask(stranger.userId)).toMatchObject({ ok: true });
});

describe('The available items', () => {
  const stock = (pieces: number) =>
    deposit(
      db,
      streamer,
      Array.from({ length: pieces }, () => asset()),
      START_MS - 8 * day,
    );

  test('last as long as viewers met the rule at this rate', async () => {
    await stock(8);
    await watched('first', { 29: 1, 3: 2 });
    await watched('second', { 20: 2 });
    // Two in thirty days is one in fifteen, so eight last for 120 days.
    expect((await run({ watchMinutes: 120 })).pool).toEqual({ available: 8, lastsDays: 120 });
    expect((await run({ watchMinutes: 600 })).pool).toEqual({ available: 8, lastsDays: null });
  });

  test('go first to those who meet it at once; those who met it earlier do not count again', async () => {
    await stock(3);
    const old = await addPerson(db);
    await watched(old.twitchId, { 60: 10, 1: 1 });
    await watched('new', { 29: 1, 1: 9 });
    const asks = { watchMinutes: 600, watchScope: 'allTime' } as const;
    expect(await run(asks)).toMatchObject({ meeting: 2, atOnce: 1, pool: { available: 3, lastsDays: 60 } });
    expect((await run({ ...asks, watchMinutes: 60 })).pool.lastsDays).toBe(60);
  });

  test('are used up at once if there are no more than viewers who meet it', async () => {
    await stock(1);
    const viewer = await addPerson(db);
    await watched(viewer.twitchId, { 1: 10 });
    expect((await run({ watchMinutes: 60, watchScope: 'allTime' })).pool).toEqual({
      available: 1,
      lastsDays: 0,
    });
  });
});
