import { steadyMs } from '#platform/steady-time.ts';

/**
 * Times for which a command is not answered again, for one user and in one channel, counted from the last
 * command.
 */
export interface CooldownTimes {
  perUserMs: number;
  perChannelMs: number;
}

/** Tracks when each command was last answered, and drops entries that have expired. */
export function cooldowns(now: () => number = steadyMs) {
  const readyAtMs = new Map<string, number>();
  let sweepAtMs = 0;

  const sweep = (nowMs: number) => {
    if (nowMs < sweepAtMs) return;
    sweepAtMs = nowMs + 60_000;
    for (const [key, atMs] of readyAtMs) if (atMs <= nowMs) readyAtMs.delete(key);
  };

  return {
    /** Returns whether the command may be answered now; if so, starts its cooldowns. */
    take(
      { command, channelId, twitchId }: { command: string; channelId: string; twitchId: string },
      { perUserMs, perChannelMs }: CooldownTimes,
    ): boolean {
      const nowMs = now();
      sweep(nowMs);
      const inChannel = `${command} ${channelId}`;
      const ofUser = `${inChannel} ${twitchId}`;
      if ([inChannel, ofUser].some((key) => (readyAtMs.get(key) ?? 0) > nowMs)) return false;
      readyAtMs.set(inChannel, nowMs + perChannelMs);
      readyAtMs.set(ofUser, nowMs + perUserMs);
      return true;
    },
  };
}
