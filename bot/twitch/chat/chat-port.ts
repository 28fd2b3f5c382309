import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { ChatFault } from '#db/schema/channel.ts';

/** A channel's chat: known to people by its login, which can change hands, and recognized by its id, which cannot. */
export interface ChatRoom {
  login: string;
  channelId: string;
  /** Whether its broadcaster lets the application's bots read it by events. */
  allowsBot?: boolean;
  /** Why Twitch takes no lines from us there, as far as is known. */
  fault?: ChatFault | null;
}

/** One chat account in its chats, whatever carries the lines: IRC, or events and Send Chat Message. */
export interface ChatPort {
  /** The chats whose commands arrive here now, by login. */
  joined(): readonly string[];
  isIn(channelLogin: string): boolean;
  /** Null while Twitch has not said it. */
  isModerator(channelLogin: string): boolean | null;
  /** Whether the line was handed over; what became of it is reported. */
  say(channelLogin: string, text: string): boolean;
}

/** What a port reports. */
export interface ChatEvents {
  /** Called for every message that looks like a command. */
  onMessage(message: ChatMessage): void;
  /** Called when Twitch has dropped a line of ours and would take it later, or worded otherwise. */
  onDropped(channelLogin: string): void;
  /** Called when Twitch takes no lines from us in a chat, and (null) when we are in it again. */
  onFault(channelId: string, fault: ChatFault | null): void;
}
