import type { RouterContextProvider } from 'react-router';
import { accountContext } from '#app/middleware/session.server.ts';
import type { ShownChannel } from '#app/routes/channels/channel-summary.tsx';
import { database } from '#app/services/database.server.ts';
import { listStandings, type ViewerProgress } from '#domain/view/list-standings.ts';

/** A viewer's own standings, by the ids of rules. */
export type OwnStandings = Record<string, Pick<ViewerProgress, 'standing' | 'progress'>>;

/**
 * The standing of whoever asks under each of these rules; none for visitors, nor before a Twitch account is connected.
 * Pages of signed-in people are not cached anywhere, so it may stand on a public one.
 */
export async function ownStandings(
  context: Readonly<RouterContextProvider>,
  ruleIds: readonly string[],
  nowMs: number,
): Promise<OwnStandings> {
  const account = context.get(accountContext);
  if (!account?.verified || !account.twitch) return {};
  const viewer = { userId: account.id, twitchId: account.twitch.id };
  const found = await listStandings(await database(), viewer, ruleIds, nowMs);
  return Object.fromEntries(
    [...found.values()].map(({ ruleId, standing, progress }) => [ruleId, { standing, progress }]),
  );
}

/** Own standings under the rules that cards of channels name. */
export const ownBest = (
  context: Readonly<RouterContextProvider>,
  cards: readonly ShownChannel[],
  nowMs: number,
): Promise<OwnStandings> =>
  ownStandings(
    context,
    cards.flatMap(({ best }) => best?.ruleId ?? []),
    nowMs,
  );
