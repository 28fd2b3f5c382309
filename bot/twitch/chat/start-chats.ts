import type { BotDeps, PartReport } from '#bot/deps.ts';
import type { ChatRoom } from '#bot/twitch/chat/join-queue.ts';
import { shareChannels } from '#bot/twitch/chat/share-channels.ts';
import { type ChatOptions, startChat } from '#bot/twitch/chat/start-chat.ts';

/** The chats of all channels, across all chat accounts. */
export interface Chats {
  /** Sets the channels to be in, the most important first. */
  setChannels(rooms: readonly ChatRoom[]): void;
  /** Asks Twitch whether the accounts' tokens are still valid. */
  check(): Promise<void>;
  report(): PartReport;
  stop(): Promise<void>;
}

export const noChats: Chats = {
  setChannels: () => {},
  check: async () => {},
  report: () => ({ state: 'off', detail: 'TWITCH_BOT_LOGIN is not set' }),
  stop: async () => {},
};

/** Starts every chat account and distributes the channels among them. */
export function startChats(
  deps: BotDeps,
  { logins, ...options }: Omit<ChatOptions, 'login'> & { logins: readonly string[] },
): Chats {
  const chats = logins.map((login) => ({ login, ...startChat(deps, { ...options, login }) }));
  // Moderator status is remembered across lost connections; otherwise channels would be left and joined again.
  const moderated = new Map(logins.map((login) => [login, new Set<string>()]));
  let shared = new Map<string, string>();
  let leftOut = 0;

  const updateModerated = () => {
    for (const [channel, login] of shared) {
      const is = chats.find((chat) => chat.login === login)?.isModerator(channel) ?? null;
      if (is === true) moderated.get(login)?.add(channel);
      if (is === false) moderated.get(login)?.delete(channel);
    }
  };

  return {
    setChannels(rooms) {
      updateModerated();
      const slots = logins.map((login) => ({
        login,
        isModerator: (channel: string) => moderated.get(login)?.has(channel) ?? false,
      }));
      const channelLogins = rooms.map(({ login }) => login);
      shared = shareChannels(channelLogins, slots, shared);
      leftOut = rooms.length - shared.size;
      for (const chat of chats)
        chat.setChannels(rooms.filter(({ login }) => shared.get(login) === chat.login));
    },
    async check() {
      await Promise.all(chats.map((chat) => chat.check()));
    },
    report() {
      const reports = chats.map((chat) => chat.report());
      const worst = reports.find(({ state }) => state !== 'ready') ?? reports[0] ?? noChats.report();
      const details = [
        ...new Set(reports.map(({ detail }) => detail).filter((detail) => detail !== undefined)),
      ];
      if (leftOut > 0)
        details.push(`no room for ${leftOut} more: add a chat account or make one a moderator`);
      const detail = details.join('; ');
      return { state: worst.state, ...(detail && { detail }) };
    },
    async stop() {
      await Promise.all(chats.map((chat) => chat.stop()));
    },
  };
}
