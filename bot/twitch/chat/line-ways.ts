import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import type { SharedChats } from '#bot/twitch/chat/shared-chats.ts';
import { announcementScope, canWriteByApplication } from '#domain/identity/twitch/twitch-scopes.ts';
import { minute } from '#domain/kernel/time.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { steadyMs } from '#platform/steady-time.ts';

/**
 * The way of a line into a chat. `api`: with the application's token, for its own channel alone. `irc`: for everyone who
 * shares the chat, and nobody does. `held`: not at all, because other channels would see it. `unknown`: not at all either,
 * until Twitch has said whether the chat is shared.
 */
export type LineWay = 'api' | 'irc' | 'held' | 'unknown';

/** A way that Twitch refused although the grants are known is not taken for so long. Steady time. */
const DOUBTED_FOR_MS = 15 * minute;
const MAX_CHATS = 5000;

/**
 * Decides, for chats that are read over IRC and those read by events alike, how an account's lines reach them: with the
 * application's token wherever the grants allow it (decision 034).
 */
export function lineWays(scopes: readonly string[], shared: Pick<SharedChats, 'stateOf'>) {
  const doubtedAtMs = boundedCache<string, number>('doubted chats', MAX_CHATS);
  const isDoubted = (channelId: string) => {
    const atMs = doubtedAtMs.get(channelId);
    return atMs !== undefined && steadyMs() - atMs < DOUBTED_FOR_MS;
  };
  const isAllowed = ({ channelId, allowsBot = false }: ChatRoom, isModerator: boolean) =>
    canWriteByApplication(scopes) && (isModerator || allowsBot) && !isDoubted(channelId);
  const ways = { alone: 'irc', shared: 'held', unknown: 'unknown' } as const;
  return {
    isAllowed,
    wayInto: (room: ChatRoom, isModerator: boolean): LineWay =>
      isAllowed(room, isModerator) ? 'api' : ways[shared.stateOf(room.channelId)],
    /** Returns whether Twitch should take an announcement: for that it wants the broadcaster's grant and the role. */
    mayAnnounce: ({ allowsBot = false }: ChatRoom, isModerator: boolean): boolean =>
      scopes.includes(announcementScope) && allowsBot && isModerator,
    /** Records that Twitch refused the application's token in a chat. */
    doubt: (channelId: string): void => doubtedAtMs.set(channelId, steadyMs()),
  };
}

export type LineWays = ReturnType<typeof lineWays>;
