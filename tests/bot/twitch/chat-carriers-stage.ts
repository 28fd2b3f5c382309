import type { ApiClient } from '@twurple/api';
import { onTestFinished } from 'vitest';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { twitchApi } from '#bot/twitch/api.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import type { VoiceOptions } from '#bot/twitch/chat/chat-voice.ts';
import { type Chats, startChats } from '#bot/twitch/chat/start-chats.ts';
import { listenToEvents } from '#bot/twitch/events/event-listener.ts';
import { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { createGrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import { linkGrants } from '#bot/twitch/grants/grant-stores.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { botScope, eventChatScopes, ircScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import { botLogin, clientId, clientSecret, grantOf, type Stage, setStage, until } from './stage.ts';

export const allChatScopes = [...ircScopes, ...eventChatScopes];

interface Options {
  /** With `ours`, another process's, whose chat account is connected. */
  stage?: Stage & { ours?: TwitchUser };
  scopes?: readonly string[];
  maxChats?: number;
  joinMs?: number;
  /** The bot's answer; without this it answers nothing. */
  reply?: (message: ChatMessage) => string | null;
  surveyMs?: number;
  takeAnnouncements?: VoiceOptions['takeAnnouncements'];
  awaits?: NonNullable<VoiceOptions['awaits']>;
  onElsewhere?: NonNullable<VoiceOptions['onElsewhere']>;
  /** From this many channels on a conduit carries their events, though no chat is read by events. */
  conduitFrom?: number;
  /** The application's client, if another one than the product's. */
  applicationFor?: (provider: DatabaseAuthProvider) => ApiClient;
}

/** The chats of one account on both carriers, over the sandbox's Twitch; their rooms are surveyed as the bot does. */
export async function setCarriers(options: Options = {}) {
  const { scopes = allChatScopes, maxChats = 3, reply = () => null } = options;
  const { joinMs = hurriedTwitchPace.chat.joinMs } = options;
  const stage = options.stage ?? (await setStage());
  const { db, deps, vault, world } = stage;
  const ours = options.stage?.ours ?? world.addUser({ login: botLogin });
  const connect = () => {
    const grant = grantOf(stage, ours.id, scopes);
    return connectChatAccount(db, { vault, twitchId: ours.id, login: ours.login, grant });
  };
  if (!options.stage?.ours) await connect();
  const { authUrl } = deps.config.twitch;
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl });
  const received: ChatMessage[] = [];
  const faults = new Map<string, ChatFault | null>();
  const chats = startChats(deps, {
    logins: [botLogin],
    clientId,
    oauth,
    pace: { ...hurriedTwitchPace.chat, joinMs, maxChats },
    answer: async (message, outlet) => {
      received.push(message);
      const text = reply(message);
      if (text !== null) await outlet.say({ channelLogin: message.channelLogin, text });
    },
    takeAnnouncements: options.takeAnnouncements ?? (async () => []),
    awaits: options.awaits ?? (() => false),
    onElsewhere: options.onElsewhere ?? (() => {}),
    recordFault: async (channelId, fault) => {
      faults.set(channelId, fault);
      for (const room of rooms) if (room.channelId === channelId) room.fault = fault;
    },
  });
  const provider = new DatabaseAuthProvider(clientId, createGrantKeeper(linkGrants(deps), oauth), oauth);
  const { application, clientFor } = twitchApi(provider, deps.log, () => {});
  const events = listenToEvents({
    ...deps,
    api: { clientFor, application: options.applicationFor?.(provider) ?? application },
    topics: [],
    mockApiPort: stage.port,
    conduitFrom: options.conduitFrom ?? 50,
    retryAfterMs: 50,
    receiveChat: (...line) => chats.receive(...line),
    permissionRefused: async () => {},
    chatRevoked: () => chats.checkSoon(),
  });
  let rooms: ChatRoom[] = [];
  const survey = () => {
    chats.setChannels(rooms, events.stateOf);
    events.setChannels([], chats.wantedTopics());
  };
  const surveying = setInterval(survey, options.surveyMs ?? hurriedTwitchPace.surveyMs);
  const stop = async () => {
    clearInterval(surveying);
    await Promise.all([chats.stop(), events.stop()]);
  };
  onTestFinished(stop);
  return {
    ...stage,
    ours,
    chats,
    received,
    faults,
    /** Counts the channels whose events the process receives, besides chats. */
    eventCounts: () => events.counts(),
    /** Connects the account with new tokens. */
    connect,
    /** Stops the process. */
    stop,
    /** A broadcaster, who may let the bot in. */
    addRoom(allowsBot = true): ChatRoom {
      const { id: channelId, login } = world.addUser({ login: `demo_room_${world.users().length}` });
      if (allowsBot) world.tokens.issue({ clientId, userId: channelId, scopes: [botScope] });
      return { channelId, login, allowsBot };
    },
    setRooms(next: readonly ChatRoom[]): void {
      rooms = next.map((room) => ({ ...room }));
      survey();
    },
    /** Counts those of these rooms that our account is in over IRC. */
    inIrc: (some: readonly ChatRoom[]) =>
      some.filter(({ channelId }) => world.chattersOf(channelId).some(({ id }) => id === ours.id)).length,
    said: (channelId: string) =>
      world.chatLog(channelId).flatMap(({ userId, text }) => (userId === ours.id ? [text] : [])),
  };
}

/** Waits until the chats are where they belong. */
export const settled = (chats: Chats, detail: string) =>
  until(
    () => [chats.changesCarrier(), chats.report().detail],
    ([changes, now]) => changes === false && now === detail,
  );
