import { and, count, eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { deliveredTransferStates, transfers } from '#db/schema/transfer.ts';
import { day } from '#domain/kernel/time.ts';

/** A profile of this age is read again. */
const PROFILE_AGE_MS = day;

/** A bot's account as Steam shows it to trading partners. */
export interface BotProfile {
  name: string;
  /** Empty if unknown. */
  pictureUrl: string;
  level: number | null;
  sinceMs: number | null;
}

/** Returns whether a bot's profile has not been stored within the last day. */
export async function isProfileDue(q: Reader, botId: string, nowMs: number): Promise<boolean> {
  const [bot] = await q.select({ readAtMs: bots.profileReadAtMs }).from(bots).where(eq(bots.id, botId));
  return bot !== undefined && (bot.readAtMs === null || bot.readAtMs <= nowMs - PROFILE_AGE_MS);
}

/**
 * Stores a bot's profile, and how many rewards it has delivered and Steam has reversed. Counting reads all
 * its deliveries by an index of their own, so this is done once a day. Storing it twice changes nothing.
 */
export async function recordProfile(
  db: Database,
  botId: string,
  { name, pictureUrl, level, sinceMs }: BotProfile,
  nowMs: number,
): Promise<void> {
  const states = await db.read
    .select({ state: transfers.state, amount: count() })
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        is(transfers.kind, 'claim'),
        within(transfers.state, deliveredTransferStates),
      ),
    )
    .groupBy(transfers.state);
  const reversed = states.find(({ state }) => state === 'reversed')?.amount ?? 0;
  const delivered = states.reduce((sum, { amount }) => sum + amount, 0) - reversed;
  await db.transaction(async (tx) => {
    await tx
      .update(bots)
      .set({
        profileName: name,
        pictureUrl,
        steamLevel: level,
        steamSinceMs: sinceMs,
        delivered,
        reversed,
        profileReadAtMs: nowMs,
      })
      .where(eq(bots.id, botId));
  });
}
