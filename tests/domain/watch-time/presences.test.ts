import { beforeEach, expect, test } from 'vitest';
import { viewerGapReasons } from '#db/schema/channel.ts';
import { minute } from '#domain/kernel/time.ts';
import { readPresences, readWatched } from '#domain/watch-time/read-presences.ts';
import { addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';

setScene();

let viewer: Person;
let other: Person;
beforeEach(async () => {
  [viewer, other] = [await addPerson(db), await addPerson(db)];
});

const presenceOf = async ({ userId }: Person, nowMs: number) => {
  const channelIds = [streamer.twitchId, 'unknown channel'];
  return (await readPresences(db.read, { userId, channelIds }, nowMs)).get(streamer.twitchId);
};
const look = (minutes: number, here: Person[], facts = {}) =>
  readChatters(
    db,
    streamer.twitchId,
    here.map(({ twitchId }) => twitchId),
    START_MS + minutes * minute,
    facts,
  );

test('A viewer is in chat if the last look at its list found them there', async () => {
  expect(await presenceOf(viewer, START_MS)).toBeUndefined();
  await goLive(db, streamer.twitchId);
  expect(await presenceOf(viewer, START_MS)).toEqual({ is: 'unknown', lookedAtMs: null });
  await look(1, [viewer, streamer]);
  const lookedAtMs = START_MS + minute;
  expect(await presenceOf(viewer, lookedAtMs)).toEqual({ is: 'counted', lookedAtMs });
  expect(await presenceOf(other, lookedAtMs)).toEqual({ is: 'absent', lookedAtMs });
  await look(2, [other]);
  expect(await presenceOf(viewer, START_MS + 2 * minute)).toMatchObject({ is: 'absent' });
  expect(await presenceOf(other, START_MS + 2 * minute)).toMatchObject({ is: 'counted' });
});

test('A viewer whose time does not count is told why, as long as it is so', async () => {
  await goLive(db, streamer.twitchId);
  for (const [place, reason] of viewerGapReasons.entries()) {
    await look(place + 1, [], { uncounted: { [reason]: [viewer.twitchId] } });
    const lookedAtMs = START_MS + (place + 1) * minute;
    expect(await presenceOf(viewer, lookedAtMs)).toEqual({ is: 'uncounted', reason, lookedAtMs });
  }
  await look(4, [viewer]);
  expect(await presenceOf(viewer, START_MS + 4 * minute)).toMatchObject({ is: 'counted' });
});

test('Nobody is called absent because of a look that failed, is late, or was of another stream', async () => {
  await goLive(db, streamer.twitchId);
  await look(1, []);
  const last = { is: 'unknown', lookedAtMs: START_MS + minute };
  expect(await presenceOf(viewer, START_MS + 4 * minute)).toMatchObject({ is: 'absent' });
  expect(await presenceOf(viewer, START_MS + 4 * minute + 1)).toEqual(last);
  await look(8, [], { gapReason: 'twitchUnavailable' });
  expect(await presenceOf(viewer, START_MS + 8 * minute)).toEqual(last);
  await goOff(db, streamer.twitchId, START_MS + 9 * minute);
  expect(await presenceOf(viewer, START_MS + 9 * minute)).toBeUndefined();
  await goLive(db, streamer.twitchId, START_MS + 60 * minute, 's2');
  expect(await presenceOf(viewer, START_MS + 60 * minute)).toEqual({ is: 'unknown', lookedAtMs: null });
});

test('Who left is not called present because the host’s clock was ahead for a while', async () => {
  await goLive(db, streamer.twitchId);
  await look(1, []);
  const [hidden, gone] = [other, viewer];
  // The clock was ten minutes ahead, and is put back.
  for (const minutes of [9, 10, 11])
    await look(minutes, [gone], { uncounted: { excluded: [hidden.twitchId] } });
  expect(await presenceOf(gone, START_MS + 11 * minute)).toMatchObject({ is: 'counted' });
  expect(await presenceOf(hidden, START_MS + 11 * minute)).toMatchObject({ is: 'uncounted' });
  const ahead = { is: 'unknown', lookedAtMs: START_MS + 11 * minute };
  expect(await presenceOf(gone, START_MS + 2 * minute)).toEqual(ahead);
  await look(2, []);
  await look(3, []);
  const lookedAtMs = START_MS + 3 * minute;
  expect(await presenceOf(gone, lookedAtMs)).toEqual({ is: 'absent', lookedAtMs });
  expect(await presenceOf(hidden, lookedAtMs)).toEqual({ is: 'absent', lookedAtMs });
});

test('What several viewers have watched is read at once, each their own, on live channels only', async () => {
  const quiet = await addStreamer(db);
  const shown = [viewer, other].flatMap(({ userId }) =>
    [streamer, quiet].map(({ twitchId: channelId }) => ({ userId, channelId })),
  );
  await goLive(db, streamer.twitchId);
  await look(0, [viewer, other]);
  await look(2, [viewer, other]);
  await look(3, [other]);
  const lookedAtMs = START_MS + 3 * minute;
  const channelId = streamer.twitchId;
  const found = await readWatched(db.read, shown, lookedAtMs);
  expect(found).toHaveLength(2);
  expect(found).toEqual(
    expect.arrayContaining([
      {
        userId: viewer.userId,
        channelId,
        seconds: 120,
        attendedFromSeconds: null,
        presence: { is: 'absent', lookedAtMs },
      },
      {
        userId: other.userId,
        channelId,
        seconds: 180,
        attendedFromSeconds: null,
        presence: { is: 'counted', lookedAtMs },
      },
    ]),
  );
  expect(await readWatched(db.read, [], lookedAtMs)).toEqual([]);
});

test('A stream that a viewer has attended is known with the time they came into it, until the next one', async () => {
  const shown = [{ userId: viewer.userId, channelId: streamer.twitchId }];
  const attendedFrom = async (minutes: number) =>
    (await readWatched(db.read, shown, START_MS + minutes * minute)).map((each) => each.attendedFromSeconds);
  await addRule(db, streamer, { watchMinutes: null, attendedStreams: 3, rewards: 1 });
  await goLive(db, streamer.twitchId);
  for (let minutes = 0; minutes <= 8; minutes += 2) await look(minutes, [viewer]);
  expect(await attendedFrom(8)).toEqual([null]);
  await look(10, [viewer]);
  expect(await attendedFrom(10)).toEqual([0]);
  await goOff(db, streamer.twitchId, START_MS + 11 * minute);
  await goLive(db, streamer.twitchId, START_MS + 60 * minute, 's2');
  expect(await attendedFrom(60)).toEqual([null]);
});
