import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { HeldLease } from '#bot/leases.ts';
import type { Chatter } from '#bot/twitch/api.ts';
import { watchChatters } from '#bot/twitch/channel/chatter-watcher.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { channels, watchGaps } from '#db/schema/channel.ts';
import { underLease } from '#domain/bot/require-lease.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { slotOf } from '#domain/bot/take-slots.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { endLeases, heldLease, holderNamed } from '#tests/support/leases.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { everySlot } from '#tests/support/slots.ts';
import { watchedRows } from '#tests/support/watched.ts';

/** Something that comes when the test gives it. */
export function awaited<T>() {
  let give: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { promise, give };
}

export const crowd = (amount: number): Chatter[] =>
  Array.from({ length: amount }, (_, n) => ({ twitchId: `9${n}`, login: `demo_${n}` }));

/** Live channels in whose chats is whom `twitch.answer` gives. */
export async function setLive({ amount = 1, maxChannels = 3 } = {}) {
  const db = await openTestDatabase();
  onTestFinished(() => db[Symbol.asyncDispose]());
  holdTime(START_MS);
  const clock = { now: () => Date.now(), stop: () => {} };
  const twitch = { answer: async () => ({ chatters: crowd(1), total: 1 }) };
  const api = { chattersOf: () => twitch.answer(), streamsOf: async () => new Map() };
  const streams = trackStreams({ db, clock, api, lagMs: 180_000, repollMs: minute });
  const channelIds: string[] = [];
  for (let n = 0; n < amount; n++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { rewards: 0 });
    await streams.online(streamer.twitchId, `first ${n}`, Date.now());
    channelIds.push(streamer.twitchId);
  }
  const channelId = channelIds[0] ?? '';
  const name = slotOf(channelId);

  /** A process that has the slots until it gives them up. With a lease that was taken, its transactions require it. */
  const start = (taken?: HeldLease) => {
    const lease = taken ?? heldLease(db, { name });
    const share = { isMine: true, read: db.read };
    const viewers = watchChatters({
      db: {
        ...db,
        get read() {
          return share.read;
        },
      },
      slots: {
        ...everySlot(db),
        databaseFor: () => (taken ? underLease(db, taken) : db),
        areAllHere: () => false,
        leaseOf: () => (share.isMine ? lease : null),
      },
      clock,
      log: pino({ level: 'silent' }),
      api,
      onFault: async () => {},
      isBot: () => false,
      maxChannels,
      roundEveryMs: second,
      retryAfterMs: 10 * second,
      watched: async () => (share.isMine ? listWatchedChannels(db.read) : []),
      wake: () => {},
    });
    const { round, settle } = viewers;
    const read = async (afterMs: number) => {
      passTime(afterMs);
      await round();
      await settle();
    };
    return { share, round, settle, read, leave: () => viewers.settleSlot(lease.name, lease) };
  };
  /** A process that takes the slot over, with a lease that ends only when another one does so. */
  const takeOver = async (holder: string) => {
    await endLeases(db, [name]);
    const [taken] = await takeLeases(db, holderNamed(holder), [name]);
    if (!taken) throw new Error('another process has the slot');
    return start(heldLease(db, taken));
  };
  return {
    twitch,
    streams,
    channelId,
    start,
    takeOver,
    rows: () => watchedRows(db.read),
    gaps: () => db.read.select().from(watchGaps),
    seconds: async () => (await watchedRows(db.read))[0]?.seconds ?? 0,
    /** Since the start of the test. */
    cursorMs: async () => {
      const [channel] = await db.read.select().from(channels).where(eq(channels.id, channelId));
      return (channel?.watchedUntilMs ?? 0) - START_MS;
    },
  };
}
