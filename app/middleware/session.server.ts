import { createContext, type MiddlewareFunction } from 'react-router';
import type { UserSummary } from '#app/components/shell/page-context.tsx';
import { refuseOutdated } from '#app/http/ask-again.server.ts';
import { processLog } from '#app/http/logger.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { isOperator } from '#app/services/operator.server.ts';
import { reportedTimeZone } from '#app/services/preferences.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { type Account, getAccount } from '#domain/account/get-account.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { wasJustRotated } from '#domain/identity/session/rotate-session.ts';
import { countReadyRewards } from '#domain/reward/count-ready-rewards.ts';
import { userSummaryContext } from './contexts.server.ts';

/** The account that makes this request, read for each request; null for a visitor. */
export const accountContext = createContext<Account | null>(null);

/** True if the user of this session proved who they are within the last ten minutes. */
export const confirmedContext = createContext<boolean>(false);

/** True if the session in the request's cookie was replaced by another one a moment ago. */
export const sessionReplacedContext = createContext<boolean>(false);

type Visit = { account: Account | null; confirmed: boolean; readyCount: number; isOutdated?: boolean };
const nobody: Visit = { account: null, confirmed: false, readyCount: 0 };

async function recognise(token: string): Promise<Visit> {
  const db = await database();
  const nowMs = await domainNow();
  const session = await findSession(db, { token }, nowMs);
  if (!session) return { ...nobody, isOutdated: await wasJustRotated(db.read, { token }, nowMs) };
  const [account, readyCount] = await Promise.all([
    getAccount(db, session),
    countReadyRewards(db, session).catch((error) => {
      processLog.error({ err: error }, 'could not count the rewards to claim: the menu shows none');
      return 0;
    }),
  ]);
  return { account, confirmed: session.confirmed, readyCount };
}

/**
 * Finds the session's account. If that fails, the visitor counts as signed out: guarded pages redirect to
 * sign-up, and public ones still work. `?force_reload` makes the browser clear everything that it stored for
 * this site.
 */
export const session: MiddlewareFunction<Response> = async ({ request, context }, next) => {
  const token = await sessionToken(request);
  let visit = nobody;
  try {
    if (token) visit = await recognise(token);
  } catch (error) {
    processLog.error({ err: error }, 'could not read the session');
  }
  const { account, confirmed, readyCount } = visit;
  if (visit.isOutdated && !isApi(request)) return refuseOutdated(request, context);
  if (account) await saveTimeZone(request, account);
  context.set(accountContext, account);
  context.set(confirmedContext, confirmed);
  context.set(sessionReplacedContext, visit.isOutdated ?? false);
  context.set(userSummaryContext, account && summaryOf(account, readyCount));
  const response = await next();
  if (new URL(request.url).searchParams.has('force_reload'))
    response.headers.set('Clear-Site-Data', '"cache"');
  return response;
};

/** Programs keep their cookies themselves, and get an answer that the API describes. */
const isApi = (request: Request): boolean => /^\/(api\/v1|sanctum)\//.test(new URL(request.url).pathname);

/** Mails are written in the zone that the browser reported last. */
async function saveTimeZone(request: Request, { id: userId, timeZone: known }: Account) {
  const timeZone = reportedTimeZone(request);
  if (timeZone === null || timeZone === known) return;
  try {
    await setPreferences(await database(), { userId, preferences: { timeZone } });
  } catch (error) {
    processLog.error({ err: error }, 'could not store the time zone: mails keep the one before');
  }
}

/** A viewer's channel is of no use to anyone here, so only streamers see its trouble. */
const troubleOf = ({ isMissing, state, missingScopes }: NonNullable<Account['twitch']>) => {
  if (missingScopes.length > 0) return null;
  if (isMissing) return 'missing';
  return state === 'restricted' ? 'broken' : null;
};

const summaryOf = (account: Account, readyCount: number): UserSummary => ({
  name: account.name,
  verified: account.verified,
  avatarUrl: account.twitch?.pictureUrl || null,
  readyCount,
  twitchTrouble: account.twitch && troubleOf(account.twitch),
  ...(isOperator(account) && { isOperator: true }),
});
