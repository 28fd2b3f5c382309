import type { BotDeps } from '#bot/deps.ts';
import type { Slots } from '#bot/slots.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { channelHash } from '#domain/bot/take-slots.ts';
import { hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';

type Deps = Pick<BotDeps, 'clock'> & {
  slots: Pick<Slots, 'leaseOf' | 'databaseFor' | 'areAllHere'>;
  watched: ReadWatched;
};

/**
 * Evaluates all viewers at the start and every hour of domain time, because follows age without an event. Channels that
 * may come from another process are not evaluated at once: each has its turn within the hour, wherever it is.
 */
export function sweepHourly({ slots, clock, watched }: Deps) {
  const dueAtMs = new Map<string, number>();
  let isShared = false;

  const followChannels = (ids: ReadonlySet<string>) => {
    for (const id of dueAtMs.keys()) if (!ids.has(id)) dueAtMs.delete(id);
    if (ids.size > 0 && !slots.areAllHere()) isShared = true;
    const nowMs = clock.now();
    for (const id of ids) if (!dueAtMs.has(id)) dueAtMs.set(id, isShared ? nextTurnOf(id, nowMs) : nowMs);
  };

  return async (signal: AbortSignal): Promise<NextDue> => {
    const channels = await watched();
    followChannels(new Set(channels.map(({ id }) => id)));
    const open = channels.filter(({ hasOpenRule }) => hasOpenRule);
    const sweepInMs = (id: string) => (dueAtMs.get(id) ?? 0) - clock.now();
    for (const { id } of open) {
      if (signal.aborted) return null;
      const nowMs = clock.now();
      const lease = slots.leaseOf(id);
      if (sweepInMs(id) > 0 || !lease) continue;
      try {
        await evaluateChannel(slots.databaseFor([lease]), id, nowMs);
        dueAtMs.set(id, nextTurnOf(id, nowMs));
      } catch (error) {
        // Another process has the channel, and the next ones are still here.
        if (!(error instanceof LeaseLost)) throw error;
      }
    }
    return soonest(...open.map(({ id }) => sweepInMs(id)));
  };
}

/** The next time of a channel's own in an hour. */
function nextTurnOf(channelId: string, nowMs: number): number {
  const turnMs = channelHash(channelId) % hour;
  return nowMs + hour - ((((nowMs - turnMs) % hour) + hour) % hour);
}
