import type { BotDeps } from '#bot/deps.ts';
import { listWatchedChannels } from '#domain/channel/list-watched-channels.ts';
import { hour } from '#domain/clock.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';

/** Every hour of domain time, and at the start, all viewers are evaluated: follows grow older without any event. */
export function sweepHourly({ database, clock }: Pick<BotDeps, 'database' | 'clock'>) {
  const sweptAtMs = new Map<string, number>();
  return async (signal: AbortSignal): Promise<void> => {
    for (const { id, hasOpenRule } of await listWatchedChannels(database.read)) {
      if (signal.aborted) return;
      const nowMs = clock.now();
      if (!hasOpenRule || nowMs - (sweptAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < hour) continue;
      await evaluateChannel(database, id, nowMs);
      sweptAtMs.set(id, nowMs);
    }
  };
}
