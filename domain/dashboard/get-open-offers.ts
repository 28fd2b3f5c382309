import { and, asc, count, eq, min, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import type { Face } from './list-rule-needs.ts';

/** Offers of a streamer's rewards that have not reached their viewers yet: unanswered, or held by Steam. */
export interface OpenOffers {
  offers: number;
  /** When the first unanswered one is cancelled; null if Steam holds all of them. */
  firstEndsAtMs: number | null;
  /** Whose offers end first. */
  faces: Face[];
}

const FACES = 4;

const isOpenOfOwner = and(
  eq(rewards.ownerId, sql.placeholder('ownerId')),
  // All live states, though one is asked for: only then does SQLite use the index of live rewards.
  within(rewards.state, liveRewardStates),
  is(rewards.state, 'reserved'),
  within(transfers.state, ['sent', 'escrowed']),
);

const countOffers = statement('open_offers', (q) =>
  q
    .select({
      offers: count(),
      firstEndsAtMs: min(
        sql`case when ${is(transfers.state, 'sent')} then ${transfers.cancelAtMs} end`,
      ).mapWith(Number),
    })
    .from(rewards)
    .innerJoin(transfers, eq(transfers.rewardId, rewards.id))
    .where(isOpenOfOwner),
);

const readFaces = statement('open_offer_faces', (q) =>
  q
    .select({ displayName: twitchAccounts.displayName, pictureUrl: twitchAccounts.pictureUrl })
    .from(rewards)
    .innerJoin(transfers, eq(transfers.rewardId, rewards.id))
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .where(isOpenOfOwner)
    .orderBy(asc(transfers.cancelAtMs), asc(transfers.id))
    .limit(FACES),
);

/** Returns the offers that are on their way to viewers of a streamer's rules; null if there are none. */
export async function getOpenOffers(
  { read }: Database,
  { ownerId }: { ownerId: string },
): Promise<OpenOffers | null> {
  const [row] = await countOffers(read, { ownerId });
  if (!row || Number(row.offers) === 0) return null;
  return {
    offers: Number(row.offers),
    firstEndsAtMs: row.firstEndsAtMs,
    faces: await readFaces(read, { ownerId }),
  };
}
