import type { BotDeps } from '#bot/deps.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

const MAX_PAUSE_MS = 30 * minute;

interface Options extends Pick<BotDeps, 'log'> {
  /** Number of channels whose work may be under way at once. */
  places: number;
  /** The kind of work, for the log. */
  work: string;
  /** The pause of a channel whose work failed; doubled each time, up to half an hour. Steady time. */
  retryAfterMs: number;
  now?(): number;
  /** Called when a place is free again. */
  wake(): void;
}

/** A channel's work, and the milliseconds until it is due; zero or less: it is. */
export interface Turn {
  channelId: string;
  inMs: number;
}

interface Pause {
  failures: number;
  untilMs: number;
}

/**
 * Lets channels take turns at one kind of work. Those that have waited longest come first, so that the order
 * of channels keeps nobody waiting, and a slow channel takes one place only. A channel whose work failed takes
 * none until its pause has ended.
 */
export function channelTurns({ places, work, log, retryAfterMs, now = steadyMs, wake }: Options) {
  const underWay = new Map<string, Promise<void>>();
  const pauses = new Map<string, Pause>();

  const onFailure = (channelId: string, error: unknown): void => {
    const failures = (pauses.get(channelId)?.failures ?? 0) + 1;
    const pauseMs = Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** (failures - 1));
    pauses.set(channelId, { failures, untilMs: now() + pauseMs });
    log.error({ err: error, channelId, failures }, `could not finish ${work}`);
  };

  const pausedTurns = (turns: readonly Turn[]): Turn[] => {
    const nowMs = now();
    return turns.map(({ channelId, inMs }) => {
      const pause = pauses.get(channelId);
      return { channelId, inMs: pause ? Math.max(inMs, pause.untilMs - nowMs) : inMs };
    });
  };

  return {
    isUnderWay: (channelId: string): boolean => underWay.has(channelId),
    /**
     * Starts the work that is due, as far as there are places, without waiting for it. Returns when the rest is
     * due. Takes the turns of all channels: the others' pauses are forgotten.
     */
    start(turns: readonly Turn[], run: (channelId: string) => Promise<void>): NextDue {
      const named = new Set(turns.map(({ channelId }) => channelId));
      for (const channelId of pauses.keys()) if (!named.has(channelId)) pauses.delete(channelId);
      const resting = pausedTurns(turns).filter(({ channelId }) => !underWay.has(channelId));
      resting.sort((one, other) => (one.inMs < other.inMs ? -1 : Number(one.inMs > other.inMs)));
      const due = resting.filter(({ inMs }) => inMs <= 0).slice(0, Math.max(0, places - underWay.size));
      for (const { channelId } of due) {
        const ends = run(channelId)
          .then(() => void pauses.delete(channelId))
          .catch((error) => onFailure(channelId, error))
          .finally(() => {
            underWay.delete(channelId);
            wake();
          });
        underWay.set(channelId, ends);
      }
      return soonest(...resting.slice(due.length).map(({ inMs }) => inMs));
    },
    /** Resolves when the work under way has ended. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}
