import { and, eq, lte, or } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { type BotState, bots } from '#db/schema/bot.ts';

/** A bot's Steam session belongs to one process for this long after its last renewal. System time. */
export const BOT_LEASE_MS = 45_000;

/**
 * Takes or renews the lease of a bot's Steam account; the row is made at its first sight. False: another process has
 * it, and logging on would kick that one out.
 */
export async function leaseBot(
  database: Database,
  { botId, holder }: { botId: string; holder: string },
  nowMs: number,
  systemMs: number,
): Promise<boolean> {
  const take = async (tx: Tx): Promise<boolean> => {
    await tx.insert(bots).values({ id: botId, firstSeenAtMs: nowMs }).onConflictDoNothing();
    const mine = await tx
      .update(bots)
      .set({ leaseHolder: holder, leaseUntilMs: systemMs + BOT_LEASE_MS })
      .where(and(eq(bots.id, botId), or(eq(bots.leaseHolder, holder), lte(bots.leaseUntilMs, systemMs))))
      .returning({ id: bots.id });
    return mine.length === 1;
  };
  return database.transaction(take, { quiet: true });
}

/** Gives the lease back at a graceful stop, so that the next process need not wait for it to run out. */
export async function releaseBot(
  database: Database,
  { botId, holder }: { botId: string; holder: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx
      .update(bots)
      .set({ leaseUntilMs: 0, leaseHolder: null, state: 'offline' })
      .where(and(eq(bots.id, botId), eq(bots.leaseHolder, holder)));
  });
}

type BotFacts = Partial<
  Pick<typeof bots.$inferSelect, 'steamId' | 'fault' | 'protectionAcknowledged' | 'refreshTokenSealed'>
> & { state?: BotState };

/** What the bot's process learned about its account. */
export async function reportBot(database: Database, botId: string, facts: BotFacts): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.update(bots).set(facts).where(eq(bots.id, botId));
  });
}
