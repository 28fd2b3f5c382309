import { steadyMs } from '#platform/steady-time.ts';

/** Tracks when each viewer last asked a command, and drops entries that have expired. */
export function cooldowns(now: () => number = steadyMs) {
  const readyAtMs = new Map<string, number>();
  let sweepAtMs = 0;

  const sweep = (nowMs: number) => {
    if (nowMs < sweepAtMs) return;
    sweepAtMs = nowMs + 60_000;
    for (const [key, atMs] of readyAtMs) if (atMs <= nowMs) readyAtMs.delete(key);
  };

  return {
    /** Returns whether the viewer's command may be answered now; if so, starts its cooldown. */
    take(
      { command, channelId, twitchId }: { command: string; channelId: string; twitchId: string },
      perUserMs: number,
    ): boolean {
      const nowMs = now();
      sweep(nowMs);
      const key = `${command} ${channelId} ${twitchId}`;
      if ((readyAtMs.get(key) ?? 0) > nowMs) return false;
      readyAtMs.set(key, nowMs + perUserMs);
      return true;
    },
  };
}
