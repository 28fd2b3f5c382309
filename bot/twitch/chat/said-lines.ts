import type { SentLine } from '#bot/twitch/chat/message-queue.ts';
import { second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Twitch answers every line at once; more than this never wait for an answer in one chat. */
const MAX_WAITING = 20;
/** A line that has no answer after this gets none, and leaves the next answer to the lines after it. Steady time. */
const ANSWERED_WITHIN_MS = 5 * second;

/**
 * Tracks the lines that were written over IRC until Twitch answers them: in each chat in their order, with a state of
 * their author that carries the line's id, or with a notice that refuses one (dev.twitch.tv/docs/chat/irc, "USERSTATE").
 * A state without an id answers no line: Twitch sends it after a JOIN, and when a role changes.
 */
export function saidLines() {
  const waiting = new Map<string, { line: SentLine; atMs: number }[]>();
  return {
    add(line: SentLine): void {
      const before = waiting.get(line.channelLogin) ?? [];
      waiting.set(line.channelLogin, [...before, { line, atMs: steadyMs() }].slice(-MAX_WAITING));
    },
    /** Removes a line that could not be written. */
    remove({ channelLogin, id }: SentLine): void {
      const left = waiting.get(channelLogin)?.filter(({ line }) => line.id !== id);
      if (left) waiting.set(channelLogin, left);
    },
    /** Returns the line in this chat that Twitch has answered; undefined if none waits. */
    take(channelLogin: string): SentLine | undefined {
      const sinceMs = steadyMs() - ANSWERED_WITHIN_MS;
      const [answered, ...left] = (waiting.get(channelLogin) ?? []).filter(({ atMs }) => atMs >= sinceMs);
      waiting.set(channelLogin, left);
      return answered?.line;
    },
  };
}
