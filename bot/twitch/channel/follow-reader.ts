import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import type { WatchedChannel } from '#domain/channel/list-watched-channels.ts';
import { type Follower, recordFollows } from '#domain/channel/record-follows.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { hour, minute } from '#domain/time.ts';

/** The complete list shows who unfollowed, which no event reports. Domain time. */
const READ_EVERY_MS = 4 * hour;
const MAX_PAUSE_MS = 30 * minute;

interface Reading {
  /** Domain time; -Infinity before the first reading. */
  readAtMs: number;
  failures: number;
  /** System time. */
  retryAtMs: number;
  /** Follows reported by events while the list was being read, as its first pages may be older. */
  meanwhile: Follower[];
}

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log'> & {
  api: Pick<TwitchApi, 'followersOf'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
};

/** Keeps the follows of channels whose rules need them: the complete list every few hours, and events in between. */
export function readFollows({ database, clock, log, api, onFault, retryAfterMs }: Deps) {
  const readings = new Map<string, Reading>();

  const read = async (channelId: string, reading: Reading, signal: AbortSignal): Promise<void> => {
    reading.meanwhile = [];
    const nowMs = clock.now();
    let listed: Follower[];
    try {
      listed = await api.followersOf(channelId, signal);
    } catch (error) {
      if (!signal.aborted) await recordTrouble(channelId, reading, twitchFaultOf(error));
      return;
    }
    const everyone = new Map([...listed, ...reading.meanwhile].map((one) => [one.twitchId, one]));
    await recordFollows(database, {
      channelId,
      followers: [...everyone.values()],
      complete: true,
      readAtMs: nowMs,
    });
    Object.assign(reading, { readAtMs: nowMs, failures: 0, retryAtMs: 0 });
    const qualified = await evaluateChannel(database, channelId, clock.now());
    log.info({ channelId, followers: everyone.size, qualified }, 'followers read');
  };

  const recordTrouble = async (channelId: string, reading: Reading, fault: TwitchFault) => {
    reading.retryAtMs = Date.now() + Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** reading.failures);
    reading.failures += 1;
    log.warn({ channelId, code: fault.code, err: fault }, 'could not read the followers');
    await onFault(channelId, fault);
  };

  const readInMs = ({ readAtMs, retryAtMs }: Reading): number =>
    Math.max(readAtMs + READ_EVERY_MS - clock.now(), retryAtMs - Date.now());

  return {
    /** Reads the lists that are due, one channel after another. */
    async round(channels: readonly WatchedChannel[], signal: AbortSignal): Promise<NextDue> {
      const wanted = new Set(channels.filter((one) => one.needs.follow).map(({ id }) => id));
      for (const channelId of readings.keys()) if (!wanted.has(channelId)) readings.delete(channelId);
      for (const channelId of wanted) {
        if (signal.aborted) return null;
        const reading = readings.get(channelId) ?? {
          readAtMs: Number.NEGATIVE_INFINITY,
          failures: 0,
          retryAtMs: 0,
          meanwhile: [],
        };
        readings.set(channelId, reading);
        if (readInMs(reading) <= 0) await read(channelId, reading, signal);
      }
      return soonest(...[...readings.values()].map(readInMs));
    },
    /** Records a follow from an event. It is too recent to meet any rule, so nobody is evaluated yet. */
    async handleFollow(channelId: string, follower: Follower): Promise<void> {
      const reading = readings.get(channelId);
      if (!reading) return;
      reading.meanwhile.push(follower);
      await recordFollows(database, { channelId, followers: [follower], complete: false });
    },
  };
}
