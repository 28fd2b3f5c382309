import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { channels } from '#db/schema/channel.ts';
import { minute } from '#domain/kernel/time.ts';
import { STREAM_GRACE_MS } from '#domain/watch-time/record-stream.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, goOff } from '#tests/support/stream.ts';

setScene();

test('An end of a stream reported late does not change when it ended', async () => {
  const endedAtMs = START_MS + minute;
  const back = endedAtMs + STREAM_GRACE_MS + minute;
  await goLive(db, streamer.twitchId);
  await goOff(db, streamer.twitchId, endedAtMs);
  await goOff(db, streamer.twitchId, back - minute);
  const channel = async () =>
    (await db.read.select().from(channels).where(eq(channels.id, streamer.twitchId)))[0];
  expect(await channel()).toMatchObject({ live: false, wentOfflineAtMs: endedAtMs });
  // It was away for longer than the grace period, and nobody is credited that time.
  await goLive(db, streamer.twitchId, back);
  expect(await channel()).toMatchObject({ live: true, watchedUntilMs: back });
});
