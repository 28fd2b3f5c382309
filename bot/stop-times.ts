import { second } from '#domain/kernel/time.ts';

/**
 * The times of a planned stop, from its begin: every lease is given up within two seconds, whatever platforms do. Only an
 * answer that is still being worded may keep a chat account for longer, while the database is slow.
 */
export const stopTimes = {
  /** Calls of a part to a platform may be answered for so long, and are aborted then. */
  callsMs: second,
  /** A line that is owed to a chat is not waited for if that does not take it by then. */
  answersMs: 1.5 * second,
  /** The lines that are on their way to Twitch by then are waited for so much longer. */
  linesMs: 0.3 * second,
  /** The lease of a part is given up then at the latest. Whatever it writes later is refused. */
  leaseMs: 1.9 * second,
} as const;
