import { second } from '#domain/kernel/time.ts';

/** The times of a planned stop, from its begin: every lease is given up within two seconds, whatever is under way. */
export const stopTimes = {
  /** What a part asks of a platform may be answered for so long, and is aborted then. */
  callsMs: second,
  /** The answers that viewers of a chat still get, and what was taken to be said there, begin within this. */
  answersMs: 1.5 * second,
  /** The lines that are on their way to Twitch then are waited for. */
  linesMs: 0.3 * second,
  /** The lease of a part is given up then at the latest. Whatever it writes later is refused. */
  leaseMs: 1.9 * second,
} as const;
