import tmi from 'tmi.js';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { Log } from '#bot/log.ts';
import { second } from '#domain/time.ts';

/** Why a connection to the chat ended. */
export type ChatEnd = 'loginRefused' | 'lost' | 'silent' | 'closed';

export interface ChatPace {
  /** Between two JOINs: Twitch allows 20 in 10 seconds. */
  joinMs: number;
  /** After this long without a word from Twitch it is asked for one; after twice as long it counts as gone. */
  silenceMs: number;
}

interface SessionOptions {
  login: string;
  accessToken: string;
  /** Null: Twitch's own address. */
  url: URL | null;
  pace: ChatPace;
  log: Log;
  /** Told of every line that begins like a command. */
  onMessage(message: ChatMessage): void;
}

const CONNECT_TIMEOUT_MS = 15 * second;
/** A JOIN that was not answered (a renamed or banned channel, a busy server) is tried again after this long. */
const JOIN_RETRY_MS = 60 * second;

export type ChatSession = ReturnType<typeof openChatSession>;

/**
 * One tmi.js client from its connection to its end. tmi.js would reconnect by itself, but with the token it was made
 * with, and it gives up for good when that was refused; so a client lives for one connection, has its handlers once,
 * and whoever opened it opens the next.
 */
export function openChatSession({ login, accessToken, url, pace, log, onMessage }: SessionOptions) {
  const client = new tmi.Client({
    options: { skipMembership: true, skipUpdatingEmotesets: true },
    connection: { ...addressOf(url), reconnect: false },
    identity: { username: login, password: `oauth:${accessToken}` },
    // tmi.js logs what is said and that sockets close: details of what this file reports itself.
    logger: { info: log.trace.bind(log), warn: log.debug.bind(log), error: log.debug.bind(log) },
  });
  const joins = joinQueue(client, pace.joinMs);
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
    // A RECONNECT from Twitch makes tmi.js connect once more later; that connection is nobody's.
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
  client.on('chat', (channel, tags, text, self) => {
    pulse.markAlive();
    if (self || !isCommand(text)) return;
    const message = messageOf(channel, tags, text);
    if (message) onMessage(message);
  });
  client.connect().catch(() => {});

  return {
    ended,
    isReady: () => ready,
    joined: () => joins.joined(),
    isModerator: (channelLogin: string) => client.isMod(`#${channelLogin}`, login),
    /** In exactly these channels from now on; JOINs are paced. */
    setChannels: (channelLogins: readonly string[]) => joins.setChannels(channelLogins),
    /** Whether the line was handed to the socket; Twitch does not say more. */
    say(channelLogin: string, text: string): boolean {
      if (!ready) return false;
      client.say(`#${channelLogin}`, text).catch(() => {});
      return true;
    },
    close: () => end('closed'),
  };
}

/** Whether Twitch still speaks: after some silence it is asked for a word, and after twice as long it counts as gone. */
function startPulse(
  client: tmi.Client,
  silenceMs: number,
  { isReady, onSilence }: { isReady(): boolean; onSilence(): void },
) {
  let aliveAtMs = Date.now();
  const markAlive = () => {
    aliveAtMs = Date.now();
  };
  const timer = setInterval(() => {
    if (!isReady()) return;
    const silentMs = Date.now() - aliveAtMs;
    if (silentMs > 2 * silenceMs) onSilence();
    else if (silentMs > silenceMs / 2) {
      // tmi.js tells of a PONG in no other way, and copies every message for who listens so: not while people talk.
      client.once('raw_message', markAlive);
      client.raw('PING :keepsake').catch(() => {});
    }
  }, silenceMs / 2);
  return { markAlive, stop: () => clearInterval(timer) };
}

/** Most of what is said is none, and is not looked at further. */
const isCommand = (text: string): boolean => text.trimStart().startsWith('!');

const hangUp = (client: tmi.Client): void => {
  client.disconnect().catch(() => {});
};

const isRefusal = (reason: string): boolean => /log(in|ging)|auth|invalid nick/i.test(reason);

/** tmi.js takes an address in parts, and `secure` only with port 443. */
function addressOf(url: URL | null) {
  if (!url) return {};
  const secure = url.protocol === 'wss:';
  return { server: url.hostname, port: Number(url.port) || (secure ? 443 : 80), secure };
}

/** tmi.js turns the tags `1` and `0` into booleans; a message that a shared chat carried over is answered there. */
function messageOf(channel: string, tags: tmi.ChatUserstate, text: string): ChatMessage | null {
  const [twitchId, roomId, sourceId] = [tags['user-id'], tags['room-id'], tags['source-room-id']].map(idIn);
  if (!twitchId || !roomId || (sourceId && sourceId !== roomId)) return null;
  const displayName = tags['display-name'] || tags.username || '';
  return { channelId: roomId, channelLogin: channel.replace(/^#/, ''), twitchId, displayName, text };
}

const idIn = (tag: unknown): string | null => (typeof tag === 'string' && /^\d+$/.test(tag) ? tag : null);

/** Joins and leaves one channel at a time. tmi.js's own promises give up before Twitch has answered. */
function joinQueue(client: tmi.Client, everyMs: number) {
  let wanted = new Set<string>();
  const joined = new Set<string>();
  const joinRequestedAtMs = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const nameOf = (channel: string) => channel.replace(/^#/, '');

  client.on('join', (channel, _login, self) => {
    if (self) joined.add(nameOf(channel));
  });
  client.on('part', (channel, _login, self) => {
    if (self) joined.delete(nameOf(channel));
  });

  const step = () => {
    const leaving = [...joined].find((login) => !wanted.has(login));
    if (leaving) {
      joined.delete(leaving);
      client.part(`#${leaving}`).catch(() => {});
    }
    const nowMs = Date.now();
    const isDue = (login: string) => nowMs - (joinRequestedAtMs.get(login) ?? 0) > JOIN_RETRY_MS;
    const next = [...wanted].find((login) => !joined.has(login) && isDue(login));
    if (!next) return;
    joinRequestedAtMs.set(next, nowMs);
    client.join(`#${next}`).catch(() => {});
  };

  return {
    joined: () => [...joined],
    setChannels(logins: readonly string[]): void {
      wanted = new Set(logins.map((login) => login.toLowerCase()));
      for (const login of joinRequestedAtMs.keys()) if (!wanted.has(login)) joinRequestedAtMs.delete(login);
    },
    start(): void {
      timer ??= setInterval(step, everyMs);
      step();
    },
    stop: () => clearInterval(timer),
  };
}
