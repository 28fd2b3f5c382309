/** How often a command is answered: to one person, and in one channel. System time. */
export interface CooldownTimes {
  perUserMs: number;
  perChannelMs: number;
}

/** Remembers who was answered when, and forgets it when it no longer matters. */
export function cooldowns(now: () => number = Date.now) {
  const readyAtMs = new Map<string, number>();
  let sweepAtMs = 0;

  const sweep = (nowMs: number) => {
    if (nowMs < sweepAtMs) return;
    sweepAtMs = nowMs + 60_000;
    for (const [key, atMs] of readyAtMs) if (atMs <= nowMs) readyAtMs.delete(key);
  };

  return {
    /** Whether the command may be answered now; if so, the times begin anew. */
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
