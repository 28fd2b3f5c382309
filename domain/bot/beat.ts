import { eq, max, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { rewards } from '#db/schema/reward.ts';

/** Bots beat this often; longer silence of all of them is an outage. System time. */
export const BEAT_EVERY_MS = 15_000;
export const SILENCE_MS = 60_000;

/**
 * A ready bot's sign of life. The first one after an outage moves every open claim window, of claims under way too, by
 * as long as nothing could be delivered. Returns by how much, 0 when there was no outage. All times here are system time, so that a moved domain
 * clock is no outage.
 */
export async function beat(database: Database, botId: string, systemMs: number): Promise<number> {
  return database.transaction(
    async (tx) => {
      const [newest] = await tx.select({ atMs: max(bots.heartbeatAtMs) }).from(bots);
      const lastMs = Number(newest?.atMs ?? 0);
      const outageMs = lastMs > 0 && systemMs - lastMs > SILENCE_MS ? systemMs - lastMs : 0;
      if (outageMs > 0)
        await tx
          .update(rewards)
          .set({ claimUntilMs: sql`${rewards.claimUntilMs} + ${outageMs}` })
          .where(within(rewards.state, ['promised', 'reserved']));
      await tx.update(bots).set({ heartbeatAtMs: systemMs }).where(eq(bots.id, botId));
      return outageMs;
    },
    { lock: 'heartbeat' },
  );
}
