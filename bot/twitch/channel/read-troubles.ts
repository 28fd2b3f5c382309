import type { WatchGapReason } from '#db/schema/channel.ts';
import { minute } from '#domain/kernel/time.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import { steadyMs } from '#platform/steady-time.ts';

interface Trouble {
  /** Null where all was read and could not be stored. */
  reason: WatchGapReason | null;
  failures: number;
  /** Steady time. */
  retryAtMs: number;
}

/** Tracks why a channel's reads fail, or cannot be stored, and when the next attempt is due; the pause doubles each time. */
export function trackTroubles(retryAfterMs: number) {
  const troubles = new Map<string, Trouble>();
  return {
    add(channelId: string, reason: WatchGapReason | null): Trouble {
      const before = troubles.get(channelId);
      const failures = (before?.failures ?? 0) + 1;
      const retryAtMs = steadyMs() + Math.min(minute, retryAfterMs * 2 ** (failures - 1));
      const trouble: Trouble = { reason: reason ?? before?.reason ?? null, failures, retryAtMs };
      troubles.set(channelId, trouble);
      return trouble;
    },
    /**
     * Forgets all other channels that are not being read. Gaps of those that nobody permits to be read have that reason
     * until somebody does.
     */
    limitTo(channels: readonly WatchedChannel[], reading: ReadonlyMap<string, unknown>): void {
      const lacking = new Map(channels.map(({ id, lacksPermission }) => [id, lacksPermission]));
      for (const channelId of troubles.keys())
        if (!lacking.has(channelId) && !reading.has(channelId)) troubles.delete(channelId);
      for (const [channelId, lacksPermission] of lacking)
        if (lacksPermission && troubles.get(channelId)?.reason !== 'permissionLost')
          troubles.set(channelId, { reason: 'permissionLost', failures: 0, retryAtMs: 0 });
    },
    of: (channelId: string): Trouble | undefined => troubles.get(channelId),
    /** Ends this trouble, and not what has come in its place meanwhile. */
    end(channelId: string, trouble: Trouble | undefined): void {
      if (troubles.get(channelId) === trouble) troubles.delete(channelId);
    },
    retryAtMs: (channelId: string): number => troubles.get(channelId)?.retryAtMs ?? 0,
  };
}
