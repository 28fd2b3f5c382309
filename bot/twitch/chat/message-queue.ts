import { second } from '#domain/time.ts';

/** Twitch mutes an account for half an hour when it sends more than this. */
export const chatLimits = { everyone: 20, moderator: 100, windowMs: 30 * second } as const;
/** An answer older than this is no longer useful. */
const MAX_AGE_MS = 30 * second;
const MAX_QUEUE = 100;

export interface Line {
  channelLogin: string;
  text: string;
}

interface QueueOptions {
  /** Whether the line was sent; one that was not is neither counted nor retried. */
  send(line: Line): boolean;
  isModerator(channelLogin: string): boolean;
  now?: () => number;
}

/** Sends lines in order, no faster than Twitch allows one account across its channels. System time. */
export function messageQueue({ send, isModerator, now = Date.now }: QueueOptions) {
  let waiting: (Line & { atMs: number })[] = [];
  let sent: number[] = [];
  let timer: NodeJS.Timeout | undefined;

  const pump = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const nowMs = now();
    sent = sent.filter((atMs) => atMs > nowMs - chatLimits.windowMs);
    waiting = waiting.filter((line) => line.atMs > nowMs - MAX_AGE_MS);
    const postponed: typeof waiting = [];
    for (const line of waiting) {
      const limit = isModerator(line.channelLogin) ? chatLimits.moderator : chatLimits.everyone;
      if (sent.length >= limit) postponed.push(line);
      else if (send(line)) sent.push(nowMs);
    }
    waiting = postponed;
    const oldest = sent[0];
    if (postponed.length > 0 && oldest !== undefined)
      timer = setTimeout(pump, Math.max(50, oldest + chatLimits.windowMs - nowMs + 1));
  };

  return {
    push(line: Line): void {
      if (waiting.length >= MAX_QUEUE) waiting.shift();
      waiting.push({ ...line, atMs: now() });
      pump();
    },
    stop(): void {
      clearTimeout(timer);
      waiting = [];
    },
  };
}
