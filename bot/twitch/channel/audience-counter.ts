import type { BotDeps } from '#bot/deps.ts';
import type { Slots } from '#bot/slots.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { recordAudience } from '#domain/channel/record-audience.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** As often as the complete lists. Domain time. */
const COUNT_EVERY_MS = 4 * hour;
/** The pause after a first failure; it doubles up to the usual one. */
const RETRY_AFTER_MS = 30 * minute;

interface Counting {
  /** Domain time; -Infinity before the first one. */
  countedAtMs: number;
  /** Steady time. */
  notBeforeMs: number;
  failures: number;
}

type Deps = Pick<BotDeps, 'clock' | 'log'> & {
  slots: Pick<Slots, 'leaseOf' | 'databaseFor'>;
  api: Pick<TwitchApi, 'followerTotal' | 'subscriberTotal'>;
  watched: ReadWatched;
  /** The pause before a channel's first count: nothing that viewers wait for has to wait for it. */
  firstAfterMs: number;
};

/**
 * Keeps the numbers of followers and subscribers of channels whose rules do not need the lists, for their streamers: one
 * call each, every few hours, one channel after another. A failed one is left for later, as nothing depends on it.
 */
export function countAudiences(deps: Deps) {
  const { clock, watched, firstAfterMs } = deps;
  const countings = new Map<string, Counting>();
  return async (signal: AbortSignal): Promise<NextDue> => {
    const channels = (await watched()).filter(({ countsWatching }) => countsWatching);
    const wanted = new Set(channels.map(({ id }) => id));
    for (const id of countings.keys()) if (!wanted.has(id)) countings.delete(id);
    let next: NextDue = null;
    for (const channel of channels) {
      const first = {
        countedAtMs: Number.NEGATIVE_INFINITY,
        notBeforeMs: steadyMs() + firstAfterMs,
        failures: 0,
      };
      const counting = countings.get(channel.id) ?? first;
      countings.set(channel.id, counting);
      if (dueInMs(counting, clock.now()) <= 0 && !signal.aborted) await countOne(deps, channel, counting);
      next = soonest(next, Math.max(0, dueInMs(counting, clock.now())));
    }
    return next;
  };
}

const dueInMs = ({ countedAtMs, notBeforeMs }: Counting, nowMs: number): number =>
  Math.max(countedAtMs + COUNT_EVERY_MS - nowMs, notBeforeMs - steadyMs());

async function countOne(
  { slots, clock, log, api }: Deps,
  { id: channelId, needs }: WatchedChannel,
  counting: Counting,
): Promise<void> {
  const atMs = clock.now();
  const lease = slots.leaseOf(channelId);
  if (!lease) return;
  const db = slots.databaseFor([lease]);
  try {
    if (!needs.follow)
      await recordAudience(db, { channelId, atMs, followers: await api.followerTotal(channelId) });
    const subscribers = needs.subscriber ? null : await api.subscriberTotal(channelId);
    if (subscribers !== null) await recordAudience(db, { channelId, atMs, subscribers });
    counting.countedAtMs = atMs;
    counting.failures = 0;
  } catch (error) {
    // Another process counts them.
    if (error instanceof LeaseLost) return;
    const fault = twitchFaultOf(error);
    counting.notBeforeMs = steadyMs() + Math.min(RETRY_AFTER_MS * 2 ** counting.failures, COUNT_EVERY_MS);
    counting.failures += 1;
    log.info({ channelId, code: fault.code, err: fault }, 'could not count followers and subscribers');
  }
}
