import { randomUUID } from 'node:crypto';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { BotDeps, PartReport } from '#bot/deps.ts';
import { type ChatEnd, type ChatPace, type ChatSession, openChatSession } from '#bot/twitch/chat-session.ts';
import { keepGrants } from '#bot/twitch/grant-keeper.ts';
import { chatGrants } from '#bot/twitch/grant-stores.ts';
import { messageQueue } from '#bot/twitch/message-queue.ts';
import type { TwitchOAuth } from '#bot/twitch/oauth.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { findChatAccount } from '#domain/account/find-chat-account.ts';
import { CHAT_LEASE_MS, leaseChatAccount, releaseChatAccount } from '#domain/account/lease-chat-account.ts';
import { minute, second } from '#domain/clock.ts';

export interface ChatOptions {
  login: string;
  oauth: Pick<TwitchOAuth, 'refresh' | 'validate'>;
  pace: ChatPace & {
    /** How often the store is asked whether the account appeared, or got other tokens. */
    lookMs: number;
    /** The first pause after a lost connection; later ones are longer. */
    retryMs: number;
  };
  answer(message: ChatMessage): Promise<string | null>;
}

const LONGEST_PAUSE_MS = 30 * second;

/**
 * Keeps the chat account connected for as long as it has a living grant and no other process has it. Every connection begins with the tokens as
 * they stand, and one whose tokens were replaced is closed for a new one.
 */
export function startChat(deps: BotDeps, { login, oauth, pace, answer }: ChatOptions) {
  const { database, vault, log, config } = deps;
  const grants = keepGrants(chatGrants(deps), oauth);
  const url = config.twitch.ircUrl === null ? null : new URL(config.twitch.ircUrl);
  const holder = randomUUID();
  let leasedUntilMs = 0;
  let session: ChatSession | null = null;
  let wanted: readonly string[] = [];
  let trouble: PartReport | null = { state: 'starting' };
  let stopped = false;
  let wake = () => {};

  const queue = messageQueue({
    send: ({ channelLogin, text }) => session?.say(channelLogin, text) ?? false,
    isModerator: (channelLogin) => session?.isModerator(channelLogin) ?? false,
  });
  const onMessage = (message: ChatMessage) => {
    // A process that stood still for a while may not know yet that another one answers now.
    if (Date.now() >= leasedUntilMs) return;
    answer(message).then(
      (text) => text !== null && queue.push({ channelLogin: message.channelLogin, text }),
      (error) => log.error({ err: error, channelId: message.channelId }, 'a chat command failed'),
    );
  };

  const lease = async (twitchId: string): Promise<boolean> => {
    const systemMs = Date.now();
    const ours = await leaseChatAccount(database, { twitchId, holder }, systemMs);
    leasedUntilMs = ours ? systemMs + CHAT_LEASE_MS : 0;
    return ours;
  };

  /** The account with a token that should work; null, and why, when there is none. */
  const findAccount = async () => {
    const account = await findChatAccount(database, { vault, login });
    if (!account) {
      trouble = { state: 'off', detail: 'the chat account is not connected' };
      return null;
    }
    if (account.broken) {
      trouble = { state: 'faulty', detail: 'the chat account has to be connected again' };
      return null;
    }
    if (!(await lease(account.twitchId))) {
      trouble = { state: 'off', detail: 'another process answers in the chats' };
      return null;
    }
    const { grant } = account;
    const expired = Date.now() > grant.obtainedAtMs + grant.lifetimeSeconds * second - minute;
    return { twitchId: account.twitchId, grant: expired ? await grants.refresh(account.twitchId) : grant };
  };

  const pause = (pauseMs: number) =>
    new Promise<void>((resolve) => {
      if (stopped) return resolve();
      const timer = setTimeout(resolve, pauseMs * (0.9 + Math.random() / 5));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** One connection from its beginning to its end, or nothing when there is no account. */
  const connectOnce = async (): Promise<ChatEnd | null> => {
    const account = await findAccount();
    if (!account || stopped) return null;
    const { accessToken, obtainedAtMs } = account.grant;
    const opened = openChatSession({ login, accessToken, url, pace, log, onMessage });
    session = opened;
    opened.keepTo(wanted);
    trouble = null;
    const looking = setInterval(async () => {
      const now = await findChatAccount(database, { vault, login }).catch(() => undefined);
      // Undefined: the store did not answer, which says nothing about the tokens.
      if (now !== undefined && now?.grant.obtainedAtMs !== obtainedAtMs) opened.close();
      if (stopped) return;
      const ours = await lease(account.twitchId).catch(() => Date.now() < leasedUntilMs);
      if (!ours) opened.close();
    }, pace.lookMs);
    const end = await opened.ended;
    clearInterval(looking);
    session = null;
    if (end !== 'closed') log.warn({ end }, 'the connection to the chat ended');
    if (end === 'loginRefused') await grants.refresh(account.twitchId);
    return end;
  };

  const run = async () => {
    let failures = 0;
    while (!stopped) {
      const startedAtMs = Date.now();
      let end: ChatEnd | null = 'lost';
      try {
        end = await connectOnce();
      } catch (error) {
        const fault = error instanceof TwitchFault ? error : null;
        trouble = { state: 'faulty', detail: fault?.code ?? 'unavailable' };
        log.warn({ err: error, code: twitchFaultOf(error).code }, 'the chat account could not connect');
      }
      if (end === null) await pause(pace.lookMs);
      if (end === null || end === 'closed') continue;
      failures = Date.now() - startedAtMs > minute ? 1 : failures + 1;
      await pause(Math.min(LONGEST_PAUSE_MS, pace.retryMs * 1.5 ** (failures - 1)));
    }
  };
  const running = run();

  return {
    /** The channels to be in, by their names in chat. */
    keepTo(channelLogins: readonly string[]): void {
      wanted = channelLogins;
      session?.keepTo(channelLogins);
    },
    /** Asks Twitch whether it still honours the account's token; a new token means a new connection. */
    async check(): Promise<void> {
      const account = await findChatAccount(database, { vault, login });
      if (account && !account.broken) await grants.check(account.twitchId);
    },
    report(): PartReport {
      if (trouble) return trouble;
      const detail = `in ${session?.joined() ?? 0} of ${wanted.length} channels`;
      return { state: session?.isReady() ? 'ready' : 'starting', detail };
    },
    async stop(): Promise<void> {
      stopped = true;
      wake();
      queue.stop();
      session?.close();
      await running;
      await releaseChatAccount(database, holder);
    },
  };
}

export type Chat = ReturnType<typeof startChat>;
