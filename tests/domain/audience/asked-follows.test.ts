import { expect, test } from 'vitest';
import { recordAskedFollows } from '#domain/audience/record-follows.ts';
import {
  beginFollowReading,
  endFollowReading,
  recordFollowPage,
  restartFollowReading,
} from '#domain/channel/record-follow-list.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { type CandidateKind, listCandidates } from '#domain/rule/list-candidates.ts';
import { watchedSeconds } from '#domain/watch-time/watched-seconds.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

test('Twitch is asked about viewers who meet all of a rule but its follow time, each once and in parts', async () => {
  const viewers = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const idle = await addPerson(db);
  const facts = { followDays: 1, watchMinutes: 10, rewards: 0 };
  const rules = [await addRule(db, streamer, facts), await addRule(db, streamer, facts)];
  // Nobody has to be asked about for a rule without follow time, and everyone here has met it.
  await addRule(db, streamer, { ...facts, followDays: null, watchMinutes: 5 });
  const channelId = streamer.twitchId;
  const ids = viewers.map(({ twitchId }) => twitchId);
  await watchFor(
    db,
    channelId,
    ids.map((twitchId) => [twitchId, 600] as const),
  );
  await watchFor(db, channelId, [[idle.twitchId, 599]]);
  const candidates = (after = '', limit = 100) =>
    listCandidates(db.read, { channelId, missingOn: 'follow', kind: 'viewers', after, limit }, START_MS);
  expect(await candidates()).toEqual(ids);
  expect(await candidates(ids[0])).toEqual(ids.slice(1));
  expect(await candidates('', 2)).toEqual(ids.slice(0, 2));
  const asked = (followedAtMs: number, twitchId: string) =>
    recordAskedFollows(db, { channelId, followers: [{ twitchId, followedAtMs }] }, START_MS);
  expect(await asked(START_MS - hour, ids[0]!)).toBe(1);
  expect(await asked(START_MS - 2 * day, ids[1]!)).toBe(3);
  expect(await recordAskedFollows(db, { channelId, followers: [] }, START_MS)).toBe(0);
  expect(await candidates()).toEqual(ids.slice(2));
  for (const ruleId of rules) await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await candidates()).toEqual([]);
  expect(await watchedSeconds(db, { channelId, twitchId: idle.twitchId })).toBe(599);
  expect(await watchedSeconds(db, { channelId, twitchId: 'unknown' })).toBe(0);
});

test('For a rule that asks for nothing else, Twitch is asked about everybody in turns of their own', async () => {
  const [idle, viewer] = [await addPerson(db), await addPerson(db)];
  const channelId = streamer.twitchId;
  await addRule(db, streamer, { followDays: 1, watchMinutes: 10, rewards: 0 });
  await watchFor(db, channelId, [[viewer.twitchId, 600]]);
  const candidates = (kind: CandidateKind, limit = 100) =>
    listCandidates(db.read, { channelId, missingOn: 'follow', kind, after: '', limit }, START_MS);
  expect(await candidates('viewers')).toEqual([viewer.twitchId]);
  expect(await candidates('strangers')).toEqual([]);
  await addRule(db, streamer, { followDays: 1, watchMinutes: null, rewards: 0 });
  expect(await candidates('strangers')).toEqual([idle.twitchId, viewer.twitchId].sort());
  expect(await candidates('strangers', 1)).toEqual([idle.twitchId, viewer.twitchId].sort().slice(0, 1));
  // One who also meets something else does not wait for all of them.
  expect(await candidates('viewers')).toEqual([viewer.twitchId]);
});

test('An interrupted reading goes on where it stopped for twelve hours, or from the beginning if Twitch has lost it', async () => {
  const channelId = streamer.twitchId;
  const begin = (nowMs: number) => beginFollowReading(db, { channelId }, nowMs);
  const reading = await begin(START_MS);
  expect(reading).toEqual({ channelId, begunAtMs: START_MS, cursor: null });
  const page = { ...reading, cursor: 'page 2' };
  await recordFollowPage(db, page, [{ twitchId: '1', followedAtMs: START_MS }]);
  expect(await begin(START_MS + 12 * hour)).toEqual(page);
  await restartFollowReading(db, page);
  expect(await begin(START_MS + hour)).toEqual({ ...reading, begunAtMs: START_MS + hour });
  await recordFollowPage(db, page, []);
  expect(await begin(START_MS + 12 * hour + 1)).toEqual({
    channelId,
    begunAtMs: START_MS + 12 * hour + 1,
    cursor: null,
  });
  expect(await endFollowReading(db, reading)).toEqual({ followers: 1, missing: 0 });
  expect((await begin(START_MS + 2 * hour)).begunAtMs).toBe(START_MS + 2 * hour);
});
