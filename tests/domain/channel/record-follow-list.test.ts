import { expect, test } from 'vitest';
import { follows } from '#db/schema/channel.ts';
import { recordFollows } from '#domain/audience/record-follows.ts';
import {
  beginFollowReading,
  endFollowReading,
  recordFollowPage,
} from '#domain/channel/record-follow-list.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

/** Twitch gave the page before the viewer followed again; nothing but the order of the writes differs. */
test.each([0, 1, 2])(
  'A new follow counts from its own time, whether %i steps of a list came before it',
  async (place) => {
    const { twitchId: channelId } = streamer;
    const reading = await beginFollowReading(db, { channelId }, START_MS);
    const event = { channelId, followers: [{ twitchId: '900', followedAtMs: START_MS + minute }] };
    const steps: (() => Promise<unknown>)[] = [
      () => recordFollowPage(db, reading, [{ twitchId: '900', followedAtMs: START_MS - 400 * day }]),
      () => endFollowReading(db, reading),
    ];
    steps.splice(place, 0, () => recordFollows(db, event, START_MS + minute));
    for (const step of steps) await step();
    const rows = await db.read.select().from(follows);
    expect(rows).toEqual([
      { channelId, twitchId: '900', followedAtMs: START_MS + minute, seenAtMs: START_MS + minute },
    ]);
  },
);
