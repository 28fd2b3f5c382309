import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { BotDeps, PartReport } from '#bot/deps.ts';
import { chatAbsences, holdChatAccount } from '#bot/twitch/chat/chat-account.ts';
import { trackFaults } from '#bot/twitch/chat/chat-faults.ts';
import {
  type ChatEnd,
  type ChatPace,
  type ChatSession,
  openChatSession,
} from '#bot/twitch/chat/chat-session.ts';
import type { ChatRoom } from '#bot/twitch/chat/join-queue.ts';
import { type Line, messageQueue } from '#bot/twitch/chat/message-queue.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, startWorker } from '#bot/worker.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { minute, second } from '#domain/time.ts';

export interface ChatOptions {
  login: string;
  oauth: Pick<TwitchOAuth, 'refresh' | 'validate'>;
  pace: ChatPace & {
    /** The shortest time between two checks of the database for the account, its tokens and announcements. */
    checkMs: number;
    /** The first pause after a lost connection; later ones are longer. */
    retryMs: number;
  };
  answer(message: ChatMessage): Promise<string | null>;
  /** Called when Twitch takes no lines from us in a chat, and (null) when it does again. */
  recordFault(channelId: string, fault: ChatFault | null): Promise<void>;
  /** Takes the announcements for the channels that the account is in. */
  takeAnnouncements(channelLogins: readonly string[]): Promise<Line[]>;
}

const MAX_PAUSE_MS = 30 * second;

/**
 * Keeps one chat account connected while it has a valid grant and no other process holds its lease. Every connection
 * starts with the current tokens, and is replaced when they change.
 */
export function startChat(deps: BotDeps, { login, oauth, pace, ...given }: ChatOptions) {
  const { log, config, changes } = deps;
  const account = holdChatAccount(deps, { login, oauth });
  const url = config.twitch.ircUrl === null ? null : new URL(config.twitch.ircUrl);
  const pauses = createPauses();
  let session: ChatSession | null = null;
  let wanted: readonly ChatRoom[] = [];
  let absence: PartReport | null = { state: 'starting' };

  const { mayAnswer } = account;
  const voice = createVoice(() => session, { ...given, log, mayAnswer, rooms: () => wanted });

  /** Runs one connection from start to end. Null when the account is not available. */
  const connectOnce = async (): Promise<ChatEnd | null> => {
    const taken = await account.take();
    absence = taken.ok ? null : chatAbsences[taken.code];
    if (!taken.ok || pauses.areOver()) return null;
    const { accessToken } = taken.grant;
    const opened = openChatSession({ login, accessToken, url, pace, log, ...voice });
    session = opened;
    opened.setChannels(wanted);
    const run = async (): Promise<NextDue> => {
      if (await account.renew(taken)) await voice.announce(opened);
      else opened.close();
      return account.renewInMs();
    };
    const checking = startWorker({ name: `chat:${login}`, everyMs: pace.checkMs, changes, log, run });
    const end = await opened.ended;
    await checking.stop();
    session = null;
    if (end !== 'closed') log.warn({ end }, 'the chat connection ended; reconnecting');
    if (end === 'loginRefused') await account.refresh(taken.twitchId);
    return end;
  };
  const connectAndReport = async (): Promise<ChatEnd | null> => {
    try {
      return await connectOnce();
    } catch (error) {
      absence = { state: 'faulty', detail: error instanceof TwitchFault ? error.code : 'unavailable' };
      log.warn({ err: error, code: twitchFaultOf(error).code }, 'could not connect the chat account');
      return 'lost';
    }
  };
  const running = reconnectUntilStopped(connectAndReport, pauses, pace);

  return {
    /** Sets the channels to be in. */
    setChannels(rooms: readonly ChatRoom[]): void {
      wanted = rooms;
      session?.setChannels(rooms);
    },
    /** Null while unknown, because the account is not in that channel. */
    isModerator: (channelLogin: string): boolean | null =>
      session?.joined().includes(channelLogin) ? session.isModerator(channelLogin) : null,
    /** Asks Twitch whether the account's token is still valid. */
    check: () => account.check(),
    report(): PartReport {
      if (absence) return absence;
      const detail = `in ${session?.joined().length ?? 0} of ${wanted.length} channels`;
      return { state: session?.isReady() ? 'ready' : 'starting', detail };
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

type Voice = Pick<ChatOptions, 'answer' | 'takeAnnouncements' | 'recordFault'> & {
  /** The chats to be in. */
  rooms(): readonly ChatRoom[];
  log: BotDeps['log'];
  mayAnswer(): boolean;
};

/** What the account sends, one line after another: answers to commands, and announcements. */
function createVoice(current: () => ChatSession | null, { log, mayAnswer, ...given }: Voice) {
  const { answer, takeAnnouncements } = given;
  const faults = trackFaults({ log, ...given });
  const queue = messageQueue({
    send({ channelLogin, text }) {
      const isSent = current()?.say(channelLogin, text) ?? false;
      if (isSent) faults.sent(channelLogin);
      return isSent;
    },
    isModerator: (channelLogin) => current()?.isModerator(channelLogin) ?? false,
  });
  return {
    onMessage(message: ChatMessage): void {
      if (!mayAnswer()) return;
      answer(message).then(
        (text) => text !== null && queue.push({ channelLogin: message.channelLogin, text }),
        (error) => log.error({ err: error, channelId: message.channelId }, 'a chat command failed'),
      );
    },
    async announce(session: ChatSession): Promise<void> {
      if (!session.isReady() || !mayAnswer()) return;
      try {
        for (const line of await takeAnnouncements(session.joined())) queue.push(line);
      } catch (error) {
        log.error({ err: error }, 'could not send announcements');
      }
    },
    onFault: faults.record,
    onDropped(channelLogin: string): void {
      if (queue.resend(channelLogin) === 'givenUp') faults.tooFast(channelLogin);
    },
    stop(): void {
      queue.stop();
      faults.stop();
    },
  };
}

/** Reconnects after every end until stopped; the pauses grow while connections do not last. */
async function reconnectUntilStopped(
  connect: () => Promise<ChatEnd | null>,
  pauses: ReturnType<typeof createPauses>,
  { checkMs, retryMs }: ChatOptions['pace'],
): Promise<void> {
  let failures = 0;
  while (!pauses.areOver()) {
    const startedAtMs = Date.now();
    const end = await connect();
    if (end === null) await pauses.begin(checkMs);
    if (end === null || end === 'closed') continue;
    failures = Date.now() - startedAtMs > minute ? 1 : failures + 1;
    await pauses.begin(Math.min(MAX_PAUSE_MS, retryMs * 1.5 ** (failures - 1)));
  }
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
    end(): void {
      over = true;
      wake();
    },
  };
}
