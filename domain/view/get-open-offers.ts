import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { FACES, type Face } from './list-rule-needs.ts';

/** Offers of a streamer's rewards that have not reached their viewers yet: unanswered, or held by Steam. */
export interface OpenOffers {
  offers: number;
  /** Time at which the first unanswered offer is cancelled; null if Steam holds all of them. */
  firstEndsAtMs: number | null;
  /** The viewers whose offers end first. */
  faces: Face[];
}

const readOffers = statement('open_offers', (q) =>
  q
    .select({
      id: transfers.id,
      state: transfers.state,
      cancelAtMs: transfers.cancelAtMs,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
    })
    .from(rewards)
    .innerJoin(transfers, eq(transfers.rewardId, rewards.id))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .where(
      and(
        eq(rewards.ownerId, sql.placeholder('ownerId')),
        // Names all live states, though the query is about one, because SQLite uses the index of live rewards
        // only then.
        within(rewards.state, liveRewardStates),
        is(rewards.state, 'reserved'),
        within(transfers.state, ['sent', 'escrowed']),
      ),
    ),
);

/** An offer without an end comes first, as in SQLite. */
const endsAtMs = ({ cancelAtMs }: { cancelAtMs: number | null }): number => cancelAtMs ?? 0;

/** Returns the offers that are on their way to viewers of a streamer's rules; null if there are none. */
export async function getOpenOffers(
  { read }: Database,
  { ownerId }: { ownerId: string },
): Promise<OpenOffers | null> {
  const open = await readOffers(read, { ownerId });
  if (open.length === 0) return null;
  // Sorted here, because for so few rows a sort in SQLite costs more than reading them.
  open.sort((one, other) => endsAtMs(one) - endsAtMs(other) || (one.id < other.id ? -1 : 1));
  const faces = open.flatMap(({ displayName, pictureUrl }) =>
    displayName === null ? [] : [{ displayName, pictureUrl: pictureUrl ?? '' }],
  );
  return {
    offers: open.length,
    firstEndsAtMs:
      open.find(({ state, cancelAtMs }) => state === 'sent' && cancelAtMs !== null)?.cancelAtMs ?? null,
    faces: faces.slice(0, FACES),
  };
}
