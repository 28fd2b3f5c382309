import { and, asc, count, eq, min, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import type { Face } from './list-rule-needs.ts';

/** Offers of a streamer's rewards that their viewers have not accepted yet. */
export interface OpenOffers {
  offers: number;
  /** When the first of them is cancelled. */
  firstEndsAtMs: number;
  /** Whose offers end first. */
  faces: Face[];
}

const FACES = 4;

const isOpenOfOwner = and(
  eq(rewards.ownerId, sql.placeholder('ownerId')),
  // All live states, though one is asked for: only then does SQLite use the index of live rewards.
  within(rewards.state, liveRewardStates),
  is(rewards.state, 'reserved'),
  is(transfers.state, 'sent'),
);

const countOffers = statement('open_offers', (q) =>
  q
    .select({ offers: count(), firstEndsAtMs: min(transfers.cancelAtMs).mapWith(Number) })
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

/** Returns the offers that wait for viewers of a streamer's rules; null if there are none. */
export async function getOpenOffers(
  { read }: Database,
  { ownerId }: { ownerId: string },
): Promise<OpenOffers | null> {
  const [row] = await countOffers(read, { ownerId });
  if (!row || Number(row.offers) === 0) return null;
  return {
    offers: Number(row.offers),
    firstEndsAtMs: row.firstEndsAtMs ?? 0,
    faces: await readFaces(read, { ownerId }),
  };
}
