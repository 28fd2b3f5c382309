import type { BotDeps } from '#bot/deps.ts';
import type { Slots } from '#bot/slots.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';

/** Evaluates all viewers at the start and every hour of domain time, because follows age without an event. */
export function sweepHourly({
  slots,
  clock,
  watched,
}: Pick<BotDeps, 'clock'> & { slots: Pick<Slots, 'leaseOf' | 'databaseFor'>; watched: ReadWatched }) {
  const sweptAtMs = new Map<string, number>();
  return async (signal: AbortSignal): Promise<NextDue> => {
    const open = (await watched()).filter(({ hasOpenRule }) => hasOpenRule);
    const sweepInMs = (id: string) => (sweptAtMs.get(id) ?? Number.NEGATIVE_INFINITY) + hour - clock.now();
    for (const { id } of open) {
      if (signal.aborted) return null;
      const nowMs = clock.now();
      const lease = slots.leaseOf(id);
      if (sweepInMs(id) > 0 || !lease) continue;
      await evaluateChannel(slots.databaseFor([lease]), id, nowMs);
      sweptAtMs.set(id, nowMs);
    }
    return soonest(...open.map(({ id }) => sweepInMs(id)));
  };
}
