import { and, eq, max, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';

/** What is known of a reward's next offer before it is claimed. */
export interface NextOffer {
  /** Holds the item, and sends it. */
  botName: string;
  /** The reward's latest transfer; null before its first claim. */
  lastTransferId: string | null;
}

const readNextOffer = statement('next_offer', (q) =>
  q
    .select({
      botName: items.botId,
      lastTransferId: sql<string | null>`(${q
        .select({ id: max(transfers.id) })
        .from(transfers)
        .where(eq(transfers.rewardId, rewards.id))})`,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.id, sql.placeholder('rewardId')), eq(rewards.userId, sql.placeholder('userId')))),
);

/** Finds who will send one of the viewer's own rewards; null if it is not theirs. */
export async function findNextOffer(
  { read }: Database,
  asked: { rewardId: string; userId: string },
): Promise<NextOffer | null> {
  const [offer] = await readNextOffer(read, asked);
  return offer ?? null;
}
