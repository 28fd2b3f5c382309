import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { rewards } from '#db/schema/reward.ts';
import { day } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listOpenRules } from '#domain/rule/list-open-rules.ts';
import { pauseRule } from '#domain/rule/pause-rule.ts';
import { listStandings } from '#domain/view/list-standings.ts';
import { progressOfViewer } from '#domain/view/progress-of-viewer.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { admit } from '#tests/support/guests.ts';
import { watchFor } from '#tests/support/watching.ts';

describe('A viewer’s standing on a channel', () => {
  test('is shown for each open rule, from its start to the promise', async () => {
    await using db = await openTestDatabase();
    await addBot(db);
    const streamer = await addStreamer(db);
    const [viewer, second] = [await addPerson(db), await addPerson(db)];
    const channelId = streamer.twitchId;
    await watchFor(db, channelId, [[viewer.twitchId, 600]]);
    const ruleId = await addRule(db, streamer, { watchMinutes: 60, followDays: 2, rewards: 1 });
    await addRule(db, streamer, { name: 'Later', watchMinutes: 30, rewards: 0, nowMs: START_MS + 1 });
    const stands = async (twitchId: string, nowMs = START_MS) => {
      const outcome = await progressOfViewer(db, { channelId, twitchId }, nowMs);
      return outcome.ok
        ? outcome.rules.map(({ standing, progress }) => ({ standing, ...progress }))
        : outcome;
    };
    await watchFor(db, channelId, [[viewer.twitchId, 1200]]);
    expect(await stands(viewer.twitchId)).toMatchObject([
      {
        standing: 'inProgress',
        watch: { haveSeconds: 1200, needSeconds: 3600 },
        follow: { haveDays: 0, needDays: 2, sinceMs: null },
      },
      { standing: 'outOfRewards', watch: { haveSeconds: 1200, needSeconds: 1800 }, follow: null },
    ]);
    await watchFor(
      db,
      channelId,
      [viewer, second].map(({ twitchId }) => [twitchId, 3600] as const),
    );
    const followers = [viewer, second].map(({ twitchId }, place) => ({
      twitchId,
      followedAtMs: START_MS - 3 * day + place,
    }));
    await recordFollows(db, { channelId, followers, complete: true, readAtMs: START_MS });
    await evaluateChannel(db, channelId, START_MS);
    const both = [await stands(viewer.twitchId), await stands(second.twitchId)].map(
      (rows) => [rows].flat()[0],
    );
    expect(both.map((row) => row && 'standing' in row && row.standing).sort()).toEqual([
      'readyToClaim',
      'waiting',
    ]);
    for (const [state, recallReason, standing] of [
      ['reserved', null, 'awaitingConfirmation'],
      ['claimed', null, 'claimed'],
      ['recalled', 'timedOut', 'timedOut'],
      ['recalled', 'reversed', 'recalled'],
    ] as const) {
      await db.transaction(async (tx) => {
        await tx.update(rewards).set({ state, recallReason }).where(eq(rewards.ruleId, ruleId));
      });
      const found = [await stands(viewer.twitchId), await stands(second.twitchId)].flat();
      expect(found.map((row) => 'standing' in row && row.standing)).toContain(standing);
    }
  });

  test('is refused to viewers who cannot earn there', async () => {
    await using db = await openTestDatabase();
    const [streamer, quiet] = [await addStreamer(db), await addStreamer(db)];
    await addRule(db, streamer, { rewards: 0 });
    const unverified = await addPerson(db, { verified: false });
    const ask = (twitchId: string, channelId = streamer.twitchId) =>
      progressOfViewer(db, { channelId, twitchId }, START_MS);
    expect(await ask('1')).toEqual({ ok: false, code: 'notLinked' });
    expect(await ask(unverified.twitchId)).toEqual({ ok: false, code: 'notVerified' });
    expect(await ask(streamer.twitchId)).toEqual({ ok: false, code: 'ownRules' });
    expect(await ask(streamer.twitchId, quiet.twitchId)).toEqual({ ok: false, code: 'noRules' });
  });
});

describe('A viewer’s standing under given rules', () => {
  test('is read for these alone, whatever their channels, and kept while one is paused', async () => {
    await using db = await openTestDatabase();
    await addBot(db);
    const [one, other] = [await addStreamer(db), await addStreamer(db)];
    const viewer = await addPerson(db);
    const watched = await addRule(db, one, { watchMinutes: 60, rewards: 1 });
    const left = await addRule(db, one, { watchMinutes: 45, rewards: 1, nowMs: START_MS + 1 });
    const empty = await addRule(db, other, { watchMinutes: 30, rewards: 0, nowMs: START_MS + 2 });
    await watchFor(db, one.twitchId, [[viewer.twitchId, 1200]]);
    await watchFor(db, other.twitchId, [[viewer.twitchId, 60]]);
    const ruleIds = [watched, empty];
    const stands = async () => {
      const found = await listStandings(db, viewer, ruleIds, START_MS);
      return [...found].map(([ruleId, { standing, progress }]) => [
        ruleId,
        standing,
        progress.watch?.haveSeconds,
      ]);
    };
    expect(await stands()).toEqual([
      [watched, 'inProgress', 1200],
      [empty, 'outOfRewards', 60],
    ]);
    await pauseRule(db, { ruleId: watched, userId: one.userId, resumesAtMs: null }, START_MS);
    ruleIds.push(left);
    expect((await stands()).slice(0, 2)).toEqual([
      [watched, 'inProgress', 1200],
      [left, 'inProgress', 1200],
    ]);
  });

  test('is not there for their owner, on the viewer’s own channel, or for nothing', async () => {
    await using db = await openTestDatabase();
    await addBot(db);
    const [owner, host] = [await addStreamer(db), await addStreamer(db)];
    await admit(db, host, owner);
    const ruleIds = [
      await addRule(db, owner, { rewards: 2 }),
      await addRule(db, owner, { channelId: host.twitchId, rewards: 0 }),
    ];
    const under = async (viewer: Person) => [...(await listStandings(db, viewer, ruleIds, START_MS)).keys()];
    expect(await under(owner)).toEqual([]);
    expect(await under(host)).toEqual(ruleIds.slice(0, 1));
    expect(await listStandings(db, await addPerson(db), [], START_MS)).toEqual(new Map());
  });
});

test('A channel’s open rules are listed with their free rewards, oldest first', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { name: 'First', watchMinutes: 60, rewards: 2 });
  await addRule(db, streamer, {
    name: 'Second',
    watchMinutes: null,
    followDays: 3,
    rewards: 0,
    nowMs: START_MS + 1,
  });
  expect(await listOpenRules(db, streamer.twitchId)).toMatchObject([
    { name: 'First', watchMinutes: 60, followDays: null, freeRewards: 2 },
    { name: 'Second', watchMinutes: null, followDays: 3, freeRewards: 0 },
  ]);
});
