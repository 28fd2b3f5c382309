import { sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { numberAt } from '#db/dialect.ts';
import { channelDays, channels } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { dayOf } from '#domain/kernel/time.ts';

/** The numbers that are added up over a day. */
interface DaySums {
  /** The time watched by all viewers together. */
  watchSeconds: number;
  liveSeconds: number;
  redeemed: number;
  refunded: number;
}

const placed = { channelId: sql.placeholder('channelId'), dayMs: numberAt('dayMs') };
const target = [channelDays.channelId, channelDays.dayMs];

const addSums = statement('day_sums', (tx) =>
  tx
    .insert(channelDays)
    .values({
      ...placed,
      watchSeconds: numberAt('watchSeconds'),
      liveSeconds: numberAt('liveSeconds'),
      redeemed: numberAt('redeemed'),
      refunded: numberAt('refunded'),
    })
    .onConflictDoUpdate({
      target,
      set: {
        watchSeconds: sql`${channelDays.watchSeconds} + excluded.watch_seconds`,
        liveSeconds: sql`${channelDays.liveSeconds} + excluded.live_seconds`,
        redeemed: sql`${channelDays.redeemed} + excluded.redeemed`,
        refunded: sql`${channelDays.refunded} + excluded.refunded`,
      },
    }),
);

const onOpenDay = sql`${channelDays.dayMs} = ${channels.rolledUpToMs}`;

/**
 * The sums of each day, in statements that join a channel with its days; those of the open day are in the
 * channel's own row.
 */
export const sumsWithOpenDay = {
  watchSeconds: sql<number>`${channelDays.watchSeconds} + case when ${onOpenDay} then ${channels.openWatchSeconds} else 0 end`,
  liveSeconds: sql<number>`${channelDays.liveSeconds} + case when ${onOpenDay} then ${channels.openLiveSeconds} else 0 end`,
};

/** Adds to a channel's numbers of the day of `atMs`. Runs in the caller's transaction. */
export async function addToDay(
  tx: Tx,
  { channelId, atMs, ...sums }: { channelId: string; atMs: number } & Partial<DaySums>,
): Promise<void> {
  const none: DaySums = { watchSeconds: 0, liveSeconds: 0, redeemed: 0, refunded: 0 };
  await addSums(tx, { channelId, dayMs: dayOf(atMs), ...none, ...sums });
}

/** Records the length of a complete list as the day's number. Runs in the caller's transaction. */
export async function recordListed(
  tx: Tx,
  {
    channelId,
    atMs,
    ...listed
  }: { channelId: string; atMs: number } & ({ followers: number } | { subscribers: number }),
): Promise<void> {
  await tx
    .insert(channelDays)
    .values({ channelId, dayMs: dayOf(atMs), ...listed })
    .onConflictDoUpdate({ target, set: listed });
}
