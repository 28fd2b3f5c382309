import type { BotDeps } from '#bot/deps.ts';
import type { Chatter, TwitchApi } from '#bot/twitch/api.ts';
import { type KnownBot, knownBots } from '#bot/twitch/channel/known-bots.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Steady time. */
const READ_EVERY_MS = day;
const RETRY_AFTER_MS = minute;

type Deps = Pick<BotDeps, 'log'> & {
  api: Pick<TwitchApi, 'idsOf'>;
  /** Logins that the operator adds to the known bots, and those of our own chat accounts. */
  moreLogins: readonly string[];
  bots?: readonly KnownBot[];
};

/**
 * Recognizes accounts that do not watch: known bots, those that the operator names, and our own. An account's
 * id decides, because a login can pass to a person. If only the login is known, Twitch is asked once a day
 * who has it, and until its first answer the login decides.
 */
export function botAccounts({ log, api, moreLogins, bots = knownBots }: Deps) {
  const ids = new Set(bots.flatMap(({ twitchId }) => twitchId ?? []));
  const named = bots.filter(({ twitchId }) => twitchId === null).map(({ login }) => login);
  const logins = new Set([...named, ...moreLogins].map((login) => login.toLowerCase()));
  let readAtMs: number | null = null;
  return {
    isBot: ({ twitchId, login }: Chatter): boolean =>
      ids.has(twitchId) || (readAtMs === null && logins.has(login.toLowerCase())),
    /** Asks Twitch for the ids of accounts that are known by login. Once an id is known, it stays. */
    async readIds(): Promise<NextDue> {
      if (logins.size === 0) return null;
      const nowMs = steadyMs();
      // Any change in the database wakes the worker.
      if (readAtMs !== null && nowMs < readAtMs + READ_EVERY_MS) return readAtMs + READ_EVERY_MS - nowMs;
      try {
        for (const twitchId of (await api.idsOf([...logins])).values()) ids.add(twitchId);
      } catch (error) {
        const fault = twitchFaultOf(error);
        log.warn({ code: fault.code, err: fault }, 'could not read the ids of known bots');
        return RETRY_AFTER_MS;
      }
      readAtMs = nowMs;
      return READ_EVERY_MS;
    },
  };
}
