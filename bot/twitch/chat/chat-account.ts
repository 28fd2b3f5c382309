import { randomUUID } from 'node:crypto';
import type { BotDeps, PartReport } from '#bot/deps.ts';
import { createGrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import { chatGrants } from '#bot/twitch/grants/grant-stores.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import {
  CHAT_LEASE_MS,
  leaseChatAccount,
  releaseChatAccount,
} from '#domain/account/twitch/lease-chat-account.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute, second } from '#domain/kernel/time.ts';

/** The reasons why a chat account is not in use. */
export type ChatAbsence = 'notConnected' | 'broken' | 'elsewhere';
export const chatAbsences: Record<ChatAbsence, PartReport> = {
  notConnected: { state: 'off', detail: 'the chat account is not connected' },
  broken: { state: 'faulty', detail: 'the chat account has to be connected again' },
  elsewhere: { state: 'off', detail: 'another process answers in the chats' },
};

type Options = { login: string; oauth: Pick<TwitchOAuth, 'refresh' | 'validate'> };

/** One chat account in this process: its tokens, and the lease that keeps another process from answering too. */
export function holdChatAccount(deps: BotDeps, { login, oauth }: Options) {
  const { db, vault } = deps;
  const grants = createGrantKeeper(chatGrants(deps), oauth);
  const holder = randomUUID();
  let leasedUntilMs = 0;
  const find = () => findChatAccount(db, { vault, login });
  const renewInMs = () => {
    const leftMs = leasedUntilMs - Date.now();
    // More than a whole lease can be left only if the host's clock was put back.
    return leftMs > CHAT_LEASE_MS ? 0 : leftMs - CHAT_LEASE_MS / 2;
  };

  const lease = async (twitchId: string): Promise<boolean> => {
    const systemMs = Date.now();
    const ours = await leaseChatAccount(db, { twitchId, holder }, systemMs);
    leasedUntilMs = ours ? systemMs + CHAT_LEASE_MS : 0;
    return ours;
  };

  return {
    /**
     * False once the lease has expired: a process that was suspended may not know that another one has taken
     * over.
     */
    mayAnswer: () => Date.now() < leasedUntilMs,
    /** Takes the lease and returns a token that should work. */
    async take(): Promise<Outcome<{ twitchId: string; grant: TwitchGrant }, ChatAbsence>> {
      const account = await find();
      if (!account) return refuse('notConnected');
      if (account.broken) return refuse('broken');
      const { twitchId, grant } = account;
      if (!(await lease(twitchId))) return refuse('elsewhere');
      const expired = Date.now() > grant.obtainedAtMs + grant.lifetimeSeconds * second - minute;
      return done({ twitchId, grant: expired ? await grants.refresh(twitchId) : grant });
    },
    /** Milliseconds until `renew` must be called so that the lease does not expire. */
    renewInMs,
    /**
     * Renews the lease when due. Returns false if it is lost, or if the stored tokens have changed or are
     * dead.
     */
    async renew({ twitchId, grant }: { twitchId: string; grant: TwitchGrant }): Promise<boolean> {
      // Undefined if the database did not answer, which proves nothing about the tokens.
      const now = await find().catch(() => undefined);
      if (now !== undefined && (now?.grant.obtainedAtMs !== grant.obtainedAtMs || now.broken)) return false;
      if (renewInMs() > 0) return true;
      return lease(twitchId).catch(() => Date.now() < leasedUntilMs);
    },
    grants,
    /** Asks Twitch whether the token is still valid; a new token leads to a new connection. */
    async check(): Promise<void> {
      const account = await find();
      if (account && !account.broken) await grants.check(account.twitchId);
    },
    release: () => releaseChatAccount(db, holder),
  };
}
