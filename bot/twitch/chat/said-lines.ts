import type { SentLine } from '#bot/twitch/chat/message-queue.ts';

/** Twitch answers every line at once; more than this never wait for an answer in one chat. */
const MAX_WAITING = 20;

/**
 * Tracks the lines that were written over IRC until Twitch answers them: in each chat in their order, with the state of
 * their author, or with a notice that refuses one (dev.twitch.tv/docs/chat/irc, "USERSTATE").
 */
export function saidLines() {
  const waiting = new Map<string, SentLine[]>();
  return {
    add(line: SentLine): void {
      waiting.set(line.channelLogin, [...(waiting.get(line.channelLogin) ?? []), line].slice(-MAX_WAITING));
    },
    /** Returns the line in this chat that Twitch has answered; undefined if none waits. */
    take: (channelLogin: string): SentLine | undefined => waiting.get(channelLogin)?.shift(),
  };
}
