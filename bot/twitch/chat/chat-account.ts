import type { PartReport } from '#bot/deps.ts';
import { countDown, HELD_MS, type LeasedDeps, newHolder } from '#bot/leases.ts';
import { createGrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import { chatGrants } from '#bot/twitch/grants/grant-stores.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute, second } from '#domain/kernel/time.ts';

/** The lease is renewed this often, so that three renewals may fail. */
const RENEW_MS = 2.5 * second;

/** The reasons why a chat account is not in use. */
export type ChatAbsence = 'notConnected' | 'broken' | 'elsewhere';
export const chatAbsences: Record<ChatAbsence, PartReport> = {
  notConnected: { state: 'off', detail: 'the chat account is not connected' },
  broken: { state: 'faulty', detail: 'the chat account has to be connected again' },
  elsewhere: { state: 'off', detail: 'another process answers in the chats' },
};

type Options = { login: string; oauth: Pick<TwitchOAuth, 'refresh' | 'validate'> };

/** One chat account in this process: its tokens, and the lease that keeps another process from answering too. */
export function holdChatAccount(deps: LeasedDeps, { login, oauth }: Options) {
  const { config, db, vault, version } = deps;
  const grants = createGrantKeeper(chatGrants(deps), oauth);
  const holder = { holder: newHolder(), address: config.botUrl.href, version };
  const held = new Set<LeaseName>();
  let leftMs = () => 0;
  let isOver = false;
  let taking: Promise<unknown> = Promise.resolve();
  const find = () => findChatAccount(db, { vault, login });
  const renewInMs = () => leftMs() - (HELD_MS - RENEW_MS);

  const lease = async (twitchId: string): Promise<boolean> => {
    const name = `chat:${twitchId}` as const;
    if (isOver) return false;
    held.add(name);
    const left = countDown(HELD_MS);
    const asked = takeLeases(db, holder, [name]);
    taking = asked.catch(() => {});
    const isOurs = (await asked).length === 1 && !isOver;
    leftMs = isOurs ? left : () => 0;
    return isOurs;
  };

  return {
    /** False once the lease has expired: a suspended process may not know that another one has taken over. */
    mayAnswer: () => leftMs() > 0,
    /** Milliseconds for which this process may write as the account. */
    leftMs: () => leftMs(),
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
     * Renews the lease when due. Returns false once the database says that another process has it; while the database does
     * not answer, only `mayAnswer` is false.
     */
    async renew(twitchId: string): Promise<boolean> {
      return renewInMs() > 0 || lease(twitchId).catch(() => true);
    },
    /** Returns false if the stored tokens have changed or are dead. */
    async isCurrent({ grant }: { grant: TwitchGrant }): Promise<boolean> {
      // Undefined if the database did not answer, which proves nothing about the tokens.
      const now = await find().catch(() => undefined);
      return now === undefined || (now?.grant.obtainedAtMs === grant.obtainedAtMs && !now.broken);
    },
    grants,
    /** Asks Twitch whether the token is still valid; a new token leads to a new connection. */
    async check(): Promise<void> {
      const account = await find();
      if (account && !account.broken) await grants.check(account.twitchId);
    },
    /** Gives up the lease for good, even after the process has lost that of its part. */
    async release(): Promise<void> {
      isOver = true;
      leftMs = () => 0;
      // One that is being taken would be taken again otherwise.
      await taking;
      await releaseLeases(deps.lease.store, holder.holder, [...held]);
    },
  };
}
