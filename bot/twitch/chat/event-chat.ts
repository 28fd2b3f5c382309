import { z } from 'zod';
import type { Log } from '#bot/log.ts';
import type { ChatEvents, ChatPort, ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { trustedBadges } from '#bot/twitch/chat/chat-roles.ts';
import type { SendLine } from '#bot/twitch/chat/chat-sender.ts';
import { commandText } from '#bot/twitch/chat/command-text.ts';
import { deliverLine } from '#bot/twitch/chat/deliver-line.ts';

interface Options extends ChatEvents {
  /** The account's own id. */
  twitchId: string;
  send: SendLine;
  /** Returns whether Twitch should take announcements in a chat. */
  mayAnnounce(room: ChatRoom, isModerator: boolean): boolean;
  log: Log;
}

/** A chat to be read by events. */
export interface EventRoom extends ChatRoom {
  /** True if Twitch has made the subscription. */
  isMade: boolean;
}

const id = z.string().regex(/^\d+$/);
/** The fields that are read from a line that may be a command. */
const chatLine = z.object({
  chatter_user_id: id,
  chatter_user_login: z.string().nullish(),
  chatter_user_name: z.string(),
  message_id: z.string().min(1),
  message: z.object({ text: z.string() }),
  reply: z.object({}).nullish(),
  source_broadcaster_user_id: id.nullish(),
  badges: z.array(z.object({ set_id: z.string() })).nullish(),
});
/** The fields that are read from our own lines, which come back as events. */
const ownLine = z.object({ badges: z.array(z.object({ set_id: z.string() })) });
const isTrusted = ({ set_id }: { set_id: string }) => trustedBadges.includes(set_id);

export interface EventChat extends ChatPort {
  setRooms(rooms: readonly EventRoom[]): void;
  /** Takes a `channel.chat.message` or `channel.chat.notification` event of a channel. `sentAtMs` is Twitch's system time. */
  receive(channelId: string, event: unknown, sentAtMs: number): void;
}

/** Opens the chats that one account reads by events, and writes into with Send Chat Message. */
export function openEventChat({ twitchId, send, log, ...events }: Options): EventChat {
  let rooms = new Map<string, EventRoom>();
  let idOf = new Map<string, string>();
  /** Our role in each chat: whether we moderate. */
  const roles = new Map<string, boolean>();
  const roomNamed = (login: string) => rooms.get(idOf.get(login) ?? '');

  const receiveOwn = (channelId: string, event: unknown): void => {
    const own = ownLine.safeParse(event);
    const isModerator = own.data?.badges.some(isTrusted) ?? false;
    const isNew = isModerator && !roles.get(channelId);
    roles.set(channelId, isModerator);
    // A moderator is refused nothing.
    if (isNew) events.onFault(channelId, null);
  };

  /** A line of another room in a shared chat is answered there, where it is an event of its own. */
  const receiveCommand = ({ channelId, login }: EventRoom, event: unknown, sentAtMs: number): void => {
    const { data: line, error } = chatLine.safeParse(event);
    if (!line) {
      log.warn({ err: error, channelId }, 'could not parse a chat line');
      return;
    }
    const { source_broadcaster_user_id: sourceId, reply, message } = line;
    const isAwaited = events.awaits?.(channelId, message.text) ?? false;
    const text = commandText(message.text, { isReply: Boolean(reply) }) ?? (isAwaited ? message.text : null);
    if (sourceId && sourceId !== channelId) {
      if (isAwaited) events.onElsewhere?.(channelId);
      return;
    }
    if (text === null) return;
    const author = {
      twitchId: line.chatter_user_id,
      login: line.chatter_user_login ?? '',
      displayName: line.chatter_user_name,
      ...(line.badges?.some(isTrusted) && { isModerator: true as const }),
    };
    events.onMessage({ id: line.message_id, channelId, channelLogin: login, ...author, text, sentAtMs });
  };

  const isWanted = (channelId: string, text: string): boolean =>
    text.includes('!') || (events.awaits?.(channelId, text) ?? false);

  return {
    setRooms(next) {
      rooms = new Map(next.map((room) => [room.channelId, room]));
      idOf = new Map(next.map(({ login, channelId }) => [login, channelId]));
    },
    receive(channelId, event, sentAtMs) {
      const room = rooms.get(channelId);
      if (!room) return;
      // Most lines are neither ours, nor commands, nor awaited, so no more than this is read from them.
      const { chatter_user_id: authorId, message } = (event ?? {}) as RawLine;
      if (authorId === twitchId) receiveOwn(channelId, event);
      else if (typeof message?.text !== 'string' || isWanted(channelId, message.text))
        receiveCommand(room, event, sentAtMs);
    },
    isIn: (channelLogin) => roomNamed(channelLogin)?.isMade ?? false,
    joined: () => [...rooms.values()].flatMap(({ login, isMade }) => (isMade ? [login] : [])),
    isModerator: (channelLogin) => roles.get(roomNamed(channelLogin)?.channelId ?? '') ?? null,
    say(line) {
      const room = roomNamed(line.channelLogin);
      if (!room) return false;
      const mayAnnounce = events.mayAnnounce(room, roles.get(room.channelId) ?? false);
      void deliverLine(room.channelId, line, { send, log, ...events, mayAnnounce });
      return true;
    },
  };
}

interface RawLine {
  chatter_user_id?: unknown;
  message?: { text?: unknown } | null;
}
