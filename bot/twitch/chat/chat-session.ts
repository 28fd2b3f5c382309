import tmi from 'tmi.js';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { Log } from '#bot/log.ts';
import {
  countOddNotice,
  isSilence,
  meaningOf,
  reportRefusal,
  SHUT_MS,
  timeoutIn,
} from '#bot/twitch/chat/chat-notices.ts';
import type { ChatEvents, ChatPort, ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { isTrustedByTags } from '#bot/twitch/chat/chat-roles.ts';
import type { SendLine } from '#bot/twitch/chat/chat-sender.ts';
import { commandText } from '#bot/twitch/chat/command-text.ts';
import { deliverLine } from '#bot/twitch/chat/deliver-line.ts';
import { JoinQueue } from '#bot/twitch/chat/join-queue.ts';
import type { LineWay } from '#bot/twitch/chat/line-ways.ts';
import type { SentLine } from '#bot/twitch/chat/message-queue.ts';
import { saidLines } from '#bot/twitch/chat/said-lines.ts';
import { second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The reasons why a connection to the chat can end. */
export type ChatEnd = 'loginRefused' | 'lost' | 'silent' | 'closed';

export interface ChatPace {
  /** The time between two JOINs: Twitch allows 20 in 10 seconds. */
  joinMs: number;
  /** After half as long without a message, Twitch is pinged; after twice as long the connection counts as dead. */
  silenceMs: number;
}

interface SessionOptions extends ChatEvents {
  login: string;
  accessToken: string;
  /** Null for Twitch's default URL. */
  url: URL | null;
  pace: ChatPace;
  log: Log;
  /** Returns how a line may be written now. Over IRC, all channels that share a chat see every line. */
  wayInto(channelId: string, isModerator: boolean): LineWay;
  /** Writes a line for its source channel alone. */
  send: SendLine;
  /** Returns whether Twitch should take announcements in a chat. */
  mayAnnounce(channelId: string, isModerator: boolean): boolean;
}

const CONNECT_TIMEOUT_MS = 15 * second;

export interface ChatSession extends ChatPort {
  ended: Promise<ChatEnd>;
  isReady(): boolean;
  /** Sets the channels to be in; JOINs are paced. */
  setChannels(rooms: readonly ChatRoom[]): void;
  close(): void;
}

/**
 * Wraps one tmi.js client for a single connection. tmi.js's own reconnect would use the token it started with, and
 * gives up for good once that is refused. So each connection gets a new client, and the caller opens the next one.
 */
export function openChatSession(options: SessionOptions): ChatSession {
  const { pace } = options;
  const client = newClient(options);
  const joins = new JoinQueue(client, pace.joinMs, options.onJoined);
  let ready = false;
  let finish: (end: ChatEnd) => void = () => {};
  const ended = new Promise<ChatEnd>((resolve) => {
    finish = resolve;
  });

  const connecting = setTimeout(() => end('lost'), CONNECT_TIMEOUT_MS);
  const pulse = startPulse(client, pace.silenceMs, { isReady: () => ready, onSilence: () => end('silent') });

  const end = (reason: ChatEnd): void => {
    ready = false;
    clearTimeout(connecting);
    pulse.stop();
    joins.stop();
    client.removeAllListeners();
    // After a RECONNECT from Twitch, tmi.js connects again later; drop that connection.
    client.on('connected', () => hangUp(client));
    hangUp(client);
    finish(reason);
  };

  client.on('connected', () => {
    ready = true;
    clearTimeout(connecting);
    joins.start();
  });
  client.on('disconnected', (reason) => end(isRefusal(reason) ? 'loginRefused' : 'lost'));
  const said = saidLines();
  const roles = listen({ client, joins, pulse, said }, options);
  client.connect().catch(() => {});

  return {
    ended,
    isReady: () => ready,
    joined: () => joins.joined(),
    isIn: (channelLogin) => joins.hasJoined(channelLogin),
    isModerator: (channelLogin) => (joins.hasJoined(channelLogin) ? (roles.get(channelLogin) ?? null) : null),
    setChannels: (rooms) => joins.setChannels(rooms),
    /** Returns whether the message was handed over; Twitch's answer comes later. */
    say(line) {
      const channelId = joins.channelIdOf(line.channelLogin);
      return ready && channelId !== undefined && write({ client, roles, said, options }, channelId, line);
    },
    close: () => end('closed'),
  };
}

/** Writes a line. Returns whether it was handed over. */
function write(
  {
    client,
    roles,
    said,
    options,
  }: {
    client: tmi.Client;
    roles: ReadonlyMap<string, boolean>;
    said: ReturnType<typeof saidLines>;
    options: SessionOptions;
  },
  channelId: string,
  line: SentLine,
): boolean {
  const isModerator = roles.get(line.channelLogin) ?? false;
  const ways: Record<LineWay, () => boolean> = {
    api() {
      const mayAnnounce = options.mayAnnounce(channelId, isModerator);
      void deliverLine(channelId, line, { ...options, mayAnnounce });
      return true;
    },
    irc() {
      said.add(line);
      client.say(`#${line.channelLogin}`, line.text).catch(() => {
        said.remove(line);
        line.onUnsent?.();
      });
      options.onSaid(line.channelLogin);
      return true;
    },
    held() {
      options.onFault(channelId, 'shared');
      return false;
    },
    unknown() {
      options.log.debug({ channelId }, 'a line is not written, because the chat may be shared');
      return false;
    },
  };
  return ways[options.wayInto(channelId, isModerator)]();
}

function newClient({ login, accessToken, url, log }: SessionOptions): tmi.Client {
  return new tmi.Client({
    options: { skipMembership: true, skipUpdatingEmotesets: true },
    connection: { ...addressOf(url), reconnect: false },
    identity: { username: login, password: `oauth:${accessToken}` },
    // tmi.js logs messages and closed sockets: details of events that this file reports itself.
    logger: { info: log.trace.bind(log), warn: log.debug.bind(log), error: log.debug.bind(log) },
  });
}

/**
 * Passes on commands, and notices about lines of ours. Returns our role in each chat: whether we moderate.
 */
function listen(
  {
    client,
    joins,
    pulse,
    said,
  }: {
    client: tmi.Client;
    joins: JoinQueue;
    pulse: { markAlive(): void };
    said: ReturnType<typeof saidLines>;
  },
  { login, log, onMessage, onDropped, onFault, onSilence, ...given }: SessionOptions,
): ReadonlyMap<string, boolean> {
  const roles = new Map<string, boolean>();
  const receive = (channel: string, tags: tmi.ChatUserstate, text: string, self: boolean): void => {
    pulse.markAlive();
    if (self) return;
    if (tags['source-room-id'] !== undefined) given.onShared?.(String(tags['room-id']));
    const isAwaited = given.awaits?.(String(tags['room-id']), text) ?? false;
    const command = commandText(text, { isReply: tags['reply-parent-msg-id'] !== undefined });
    const line = command ?? (isAwaited ? text : null);
    if (line === null) return;
    const message = messageOf(channel, tags, line);
    if (message && joins.isIn(message.channelLogin, message.channelId)) onMessage(message);
    else if (isAwaited && !message) given.onElsewhere?.(String(tags['room-id']));
  };
  client.on('chat', receive);
  client.on('action', receive);
  const notice = (channel: string, noticeId: string, text: string): void => {
    const [room, meaning] = [channel.replace(/^#/, ''), meaningOf(noticeId)];
    const channelId = joins.channelIdOf(room);
    countOddNotice(String(noticeId));
    const line = meaning === null ? undefined : said.take(room);
    if (meaning !== 'again' && line) reportRefusal(line, noticeId);
    // A notice that answers no line of ours repeats nothing.
    if (meaning === 'again' && line) onDropped(line);
    if (meaning === 'again' || meaning === null || channelId === undefined) return;
    if (!isSilence(meaning)) onFault(channelId, meaning);
    else {
      // A user who is timed out may still read.
      if (meaning !== 'timedOut') joins.shut(room, SHUT_MS);
      onSilence(channelId, meaning, meaning === 'timedOut' ? timeoutIn(text) : SHUT_MS);
    }
  };
  client.on('notice', notice);
  // tmi.js reports notices about lines that AutoMod holds under a name of their own.
  client.on('automod', notice);
  readEveryLine(client, {
    log,
    onNotice(channel, tags, text) {
      receive(channel, tags, text, String(tags.login ?? '').toLowerCase() === login);
    },
    // tmi.js's own list of moderators also contains former ones.
    onUserState(channel, { isModerator, messageId }) {
      const room = channel.replace(/^#/, '');
      roles.set(room, isModerator);
      if (messageId !== null) said.take(room)?.onTaken?.(messageId);
      const channelId = joins.channelIdOf(room);
      // A moderator is refused nothing, but may lack the grant by which a line stays in its channel.
      if (channelId && isModerator && given.wayInto(channelId, true) !== 'held') onFault(channelId, null);
    },
  });
  return roles;
}

/** Detects a dead connection: pings after some silence, and reports the silence after twice as long. */
function startPulse(
  client: tmi.Client,
  silenceMs: number,
  { isReady, onSilence }: { isReady(): boolean; onSilence(): void },
) {
  let aliveAtMs = steadyMs();
  const markAlive = () => {
    aliveAtMs = steadyMs();
  };
  const timer = setInterval(() => {
    if (!isReady()) return;
    const silentMs = steadyMs() - aliveAtMs;
    if (silentMs > 2 * silenceMs) onSilence();
    else if (silentMs > silenceMs / 2) {
      // tmi.js reports a PONG only through this event, and copies every message for its listeners, so listen only while
      // the chat is quiet.
      client.once('raw_message', markAlive);
      client.raw('PING :keepsake').catch(() => {});
    }
  }, silenceMs / 2);
  return { markAlive, stop: () => clearInterval(timer) };
}

interface IrcLine {
  command?: unknown;
  params?: readonly unknown[];
  tags?: Readonly<Record<string, unknown>>;
}

interface EveryLine {
  log: Log;
  onUserState(channel: string, state: { isModerator: boolean; messageId: string | null }): void;
  onNotice(channel: string, tags: tmi.ChatUserstate, text: string): void;
}

/** The function by which tmi.js handles every line, before it emits events. */
type Reader = tmi.Client & {
  handleMessage(message: IrcLine | null): void;
};

/**
 * Intercepts every line that tmi.js handles. A USERSTATE, for which tmi.js emits no event, shows our role in
 * a chat: when we join, after each line of ours, and when it changes. A USERNOTICE, for which it has many,
 * brings the text that a viewer wrote with a resubscription or an announcement. Also catches what tmi.js
 * throws, inside its socket's handler, at a message without text.
 */
function readEveryLine(client: tmi.Client, { log, onUserState, onNotice }: EveryLine): void {
  const reader = client as Reader;
  const { handleMessage } = reader;
  reader.handleMessage = (message) => {
    try {
      handleMessage.call(reader, message);
    } catch (error) {
      log.debug({ err: error }, 'a line from the chat could not be read');
    }
    const [channel, text] = message?.params ?? [];
    if (typeof channel !== 'string') return;
    if (message?.command === 'USERSTATE') onUserState(channel, stateIn(message.tags ?? {}));
    if (message?.command === 'USERNOTICE' && typeof text === 'string')
      onNotice(channel, message.tags ?? {}, text);
  };
}

/** `id` is that of a line of ours which this answers. */
const stateIn = (tags: Readonly<Record<string, unknown>>) => ({
  isModerator: isTrustedByTags(tags),
  messageId: typeof tags.id === 'string' ? tags.id : null,
});

const hangUp = (client: tmi.Client): void => {
  client.disconnect().catch(() => {});
};

const isRefusal = (reason: string): boolean => /log(in|ging)|auth|invalid nick/i.test(reason);

/** Splits the URL into the parts that tmi.js takes; it supports `secure` only with port 443 by default. */
function addressOf(url: URL | null) {
  if (!url) return {};
  const secure = url.protocol === 'wss:';
  return { server: url.hostname, port: Number(url.port) || (secure ? 443 : 80), secure };
}

/**
 * Converts a chat message. Null without valid ids, or if it comes from another channel in a shared chat,
 * where it is answered.
 */
function messageOf(channel: string, tags: tmi.ChatUserstate, text: string): ChatMessage | null {
  const [twitchId, roomId, sourceId] = [tags['user-id'], tags['room-id'], tags['source-room-id']].map(idIn);
  const { id } = tags;
  if (!id || !twitchId || !roomId || (sourceId && sourceId !== roomId)) return null;
  const login = tags.username ?? '';
  const displayName = tags['display-name'] || login;
  const channelLogin = channel.replace(/^#/, '');
  const sentAtMs = Number(idIn(tags['tmi-sent-ts']) ?? Date.now());
  const role = isTrustedByTags(tags) ? { isModerator: true as const } : {};
  return { id, channelId: roomId, channelLogin, twitchId, login, displayName, text, sentAtMs, ...role };
}

const idIn = (tag: unknown): string | null => (typeof tag === 'string' && /^\d+$/.test(tag) ? tag : null);
