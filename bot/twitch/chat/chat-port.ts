import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { Silence } from '#bot/twitch/chat/chat-notices.ts';
import type { SentLine } from '#bot/twitch/chat/message-queue.ts';
import type { ChatFault } from '#db/schema/channel.ts';

/** A channel's chat: known to people by its login, which can change hands, and recognized by its id, which cannot. */
export interface ChatRoom {
  login: string;
  channelId: string;
  /** True if its broadcaster lets the application's bots read it by events. */
  allowsBot?: boolean;
  /** The reason why Twitch takes no lines from us there, if known. */
  fault?: ChatFault | null;
}

/** One chat account in its chats, whatever carries the lines: IRC, or events and Send Chat Message. */
export interface ChatPort {
  /** The chats whose commands arrive here now, by login. */
  joined(): readonly string[];
  isIn(channelLogin: string): boolean;
  /** Null until Twitch has reported it. */
  isModerator(channelLogin: string): boolean | null;
  /** Returns whether the line was handed over; its result is reported later. */
  say(line: SentLine): boolean;
}

/** The reports of a port. */
export interface ChatEvents {
  /** Called for every message that looks like a command, or that is awaited. */
  onMessage(message: ChatMessage): void;
  /** Returns whether a line of this chat is awaited though it is no command, as a raffle's keyword is. */
  awaits?(channelId: string, text: string): boolean;
  /** Called when an awaited line was written in another channel that shares its chat with this one. */
  onElsewhere?(channelId: string): void;
  /** Called when a line shows that the chat is shared. */
  onShared?(channelId: string): void;
  /** Called when a line was handed over for which Twitch reports only a refusal, at once. */
  onSaid(channelLogin: string): void;
  /** Called when Twitch has dropped a line of ours and would take it later, or worded otherwise. */
  onDropped(line: SentLine): void;
  /** Called when a line was not sent the way that it was to go, and may go another one. */
  onRerouted(line: SentLine): void;
  /**
   * Called when Twitch does not take lines from us in a chat, and with null when it took one or we moderate.
   */
  onFault(channelId: string, fault: ChatFault | null): void;
  /** Called when Twitch will take no lines for some time. */
  onSilence(channelId: string, silence: Silence, forMs: number): void;
  /**
   * Called when Twitch lets us into a chat. We are not banned there, but our lines may still be restricted.
   */
  onJoined(channelId: string): void;
}
