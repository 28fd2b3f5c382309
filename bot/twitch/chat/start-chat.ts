import type { BotDeps, PartReport } from '#bot/deps.ts';
import { openTwitchClient } from '#bot/twitch/api.ts';
import { chatAbsences, holdChatAccount } from '#bot/twitch/chat/chat-account.ts';
import type { ChatRoom } from '#bot/twitch/chat/chat-port.ts';
import { chatSender } from '#bot/twitch/chat/chat-sender.ts';
import {
  type ChatEnd,
  type ChatPace,
  type ChatSession,
  openChatSession,
} from '#bot/twitch/chat/chat-session.ts';
import { createVoice, type VoiceOptions } from '#bot/twitch/chat/chat-voice.ts';
import { type EventChat, type EventRoom, openEventChat } from '#bot/twitch/chat/event-chat.ts';
import { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, startWorker } from '#bot/worker.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { canReadChatByEvents } from '#domain/account/twitch/twitch-scopes.ts';
import { minute, second } from '#domain/time.ts';

export interface ChatOptions extends VoiceOptions {
  login: string;
  clientId: string;
  oauth: TwitchOAuth;
  pace: ChatPace & {
    /** The shortest time between two checks of the database for the account, its tokens and announcements. */
    checkMs: number;
    /** How many chats an account can be in over IRC, besides those that it moderates. */
    maxChats: number;
    /** The first pause after a lost connection; later ones are longer. */
    retryMs: number;
  };
}

type Held = { twitchId: string; grant: TwitchGrant };

const MAX_PAUSE_MS = 30 * second;

/**
 * Runs one chat account while it has a valid grant and no other process holds its lease: its connection to IRC, and the
 * chats that it reads by events. Both start with the current tokens, and again when they change.
 */
export function startChat(deps: BotDeps, { login, clientId, oauth, pace, ...given }: ChatOptions) {
  const { log, config, changes } = deps;
  const account = holdChatAccount(deps, { login, oauth });
  const client = openTwitchClient(new DatabaseAuthProvider(clientId, account.grants, oauth), log);
  const url = config.twitch.ircUrl === null ? null : new URL(config.twitch.ircUrl);
  const pauses = createPauses();
  let session: ChatSession | null = null;
  let byEvents: { twitchId: string; chat: EventChat } | null = null;
  let wanted: { irc: readonly ChatRoom[]; byEvents: readonly EventRoom[] } = { irc: [], byEvents: [] };
  let absence: PartReport | null = { state: 'starting' };
  let isKnown = false;
  let failures = 0;

  const voice = createVoice({
    ...given,
    log,
    mayAnswer: account.mayAnswer,
    ports: () => [session, byEvents?.chat].filter((port) => port !== undefined && port !== null),
    rooms: () => [...wanted.irc, ...wanted.byEvents],
  });

  /** Runs one connection to IRC from start to end. */
  const connect = async ({ accessToken }: TwitchGrant): Promise<ChatEnd> => {
    const startedAtMs = Date.now();
    const opened = openChatSession({ login, accessToken, url, pace, log, ...voice.events });
    session = opened;
    opened.setChannels(wanted.irc);
    const end = await opened.ended;
    session = null;
    if (end === 'closed') return end;
    log.warn({ end }, 'the chat connection ended; reconnecting');
    failures = Date.now() - startedAtMs > minute ? 1 : failures + 1;
    return end;
  };

  const readByEvents = (twitchId: string) => {
    const chat = openEventChat({ twitchId, send: chatSender(client, twitchId), log, ...voice.events });
    chat.setRooms(wanted.byEvents);
    return { twitchId, chat };
  };

  /** Uses the account until it is lost, or its tokens have changed. */
  const use = async (held: Held): Promise<void> => {
    const { twitchId, grant } = held;
    let isOver = false;
    byEvents = canReadChatByEvents(grant.scopes) ? readByEvents(twitchId) : null;
    const run = async (): Promise<NextDue> => {
      if (await account.renew(held)) await voice.announce();
      else {
        isOver = true;
        session?.close();
        pauses.cut();
      }
      return account.renewInMs();
    };
    const checking = startWorker({ name: `chat:${login}`, everyMs: pace.checkMs, changes, log, run });
    try {
      while (!isOver && !pauses.areOver()) {
        const end = await connect(grant);
        if (end === 'closed') continue;
        if (end === 'loginRefused') {
          isOver = true;
          await account.grants.refresh(twitchId);
        }
        await pauses.begin(Math.min(MAX_PAUSE_MS, pace.retryMs * 1.5 ** (failures - 1)));
      }
    } finally {
      await checking.stop();
    }
  };

  /** Takes the account and uses it. False: it is not available. */
  const takeAndUse = async (): Promise<boolean> => {
    try {
      const taken = await account.take();
      absence = taken.ok ? null : chatAbsences[taken.code];
      isKnown = taken.ok || taken.code !== 'elsewhere';
      // Not before: what it reads by events outlasts a change of its tokens.
      if (!taken.ok) byEvents = null;
      if (taken.ok && !pauses.areOver()) await use(taken);
      return taken.ok;
    } catch (error) {
      absence = { state: 'faulty', detail: error instanceof TwitchFault ? error.code : 'unavailable' };
      isKnown = false;
      log.warn({ err: error, code: twitchFaultOf(error).code }, 'could not connect the chat account');
      return false;
    }
  };
  const running = (async () => {
    while (!pauses.areOver()) if (!(await takeAndUse())) await pauses.begin(pace.checkMs);
  })();

  return {
    login,
    /** Sets the chats to be in over IRC, and those to be read by events. */
    setRooms(irc: readonly ChatRoom[], eventRooms: readonly EventRoom[]): void {
      wanted = { irc, byEvents: eventRooms };
      session?.setChannels(irc);
      byEvents?.chat.setRooms(eventRooms);
    },
    /** The account's id while it can read chats by events; null: it cannot. */
    readerId: (): string | null => byEvents?.twitchId ?? null,
    /** Whether this process knows what the account should read: not while another one has it, or nobody can tell. */
    isKnown: () => isKnown,
    /** Whether the account is in all chats that it should be in over IRC. */
    isInAll: (): boolean => wanted.irc.every(({ login: channel }) => session?.isIn(channel)),
    isStarting: () => absence?.state === 'starting',
    /** Takes a line that came as an event. */
    hear: (channelId: string, event: unknown) => byEvents?.chat.hear(channelId, event),
    recordFault: voice.events.onFault,
    /** Whether the account is in a chat over IRC. */
    isIn: (channelLogin: string): boolean => session?.isIn(channelLogin) ?? false,
    /** Null while unknown: Twitch says it in chats that the account is in over IRC, or has written into. */
    isModerator: (channelLogin: string): boolean | null =>
      session?.isModerator(channelLogin) ?? byEvents?.chat.isModerator(channelLogin) ?? null,
    /** Asks Twitch whether the account's token is still valid. */
    check: () => account.check(),
    report(): PartReport {
      if (absence) return absence;
      const joined = new Set([...(session?.joined() ?? []), ...(byEvents?.chat.joined() ?? [])]);
      const all = new Set([...wanted.irc, ...wanted.byEvents].map(({ channelId }) => channelId));
      const needsIrc = wanted.irc.length > 0 || wanted.byEvents.length === 0;
      const isReady = needsIrc ? session?.isReady() : byEvents !== null;
      return { state: isReady ? 'ready' : 'starting', detail: `in ${joined.size} of ${all.size} channels` };
    },
    async stop(): Promise<void> {
      pauses.end();
      voice.stop();
      session?.close();
      await running;
      await account.release();
    },
  };
}

/** Interruptible pauses, until they are stopped for good. */
function createPauses() {
  let over = false;
  let wake = () => {};
  return {
    areOver: () => over,
    begin: (pauseMs: number) =>
      new Promise<void>((resolve) => {
        if (over) return resolve();
        const timer = setTimeout(resolve, pauseMs * (0.9 + Math.random() / 5));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    /** Ends the current pause. */
    cut: () => wake(),
    end(): void {
      over = true;
      wake();
    },
  };
}
