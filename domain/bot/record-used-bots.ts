import { and, eq, inArray, ne } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type BotState, bots } from '#db/schema/bot.ts';
import { heartbeatLock } from '#domain/kernel/locks.ts';
import { recordHeartbeats } from './record-heartbeat.ts';

/**
 * Records the bots that the holder of the lease `steam` uses, in its epoch, and a heartbeat of each one that is ready, in
 * one transaction. A bot's row is written when it is first used.
 */
export async function recordUsedBots(
  db: Database,
  { epoch, used }: { epoch: number; used: readonly { botId: string; isReady: boolean }[] },
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<void> {
  if (used.length === 0) return;
  const idsOf = (some: typeof used) => some.map(({ botId }) => botId);
  const inEarlierEpoch = and(inArray(bots.id, idsOf(used)), ne(bots.leaseEpoch, epoch));
  const ready = used.filter(({ isReady }) => isReady);
  await db.transaction(
    async (tx) => {
      await tx
        .insert(bots)
        .values(idsOf(used).map((id) => ({ id, firstSeenAtMs: nowMs })))
        .onConflictDoNothing();
      await recordHeartbeats(tx, idsOf(ready), { systemMs, nowMs });
      await tx.update(bots).set({ leaseEpoch: epoch }).where(inEarlierEpoch);
    },
    { lock: heartbeatLock, quiet: true },
  );
}

/** Records at a planned stop that the bot is logged off. */
export async function recordBotStop(db: Database, botId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ state: 'offline' }).where(eq(bots.id, botId));
  });
}

export type BotFacts = Partial<
  Pick<
    typeof bots.$inferSelect,
    'steamId' | 'fault' | 'protectionAcknowledged' | 'logOnPausedAtMs' | 'logOnPauseMs' | 'logOnFailures'
  >
> & { state?: BotState };

/** Stores facts that the holder of the lease `steam` learned about a bot's account. */
export async function reportBot(db: Database, botId: string, facts: BotFacts): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(bots).set(facts).where(eq(bots.id, botId));
  });
}

/** Stores a token that Steam has just issued, also for a process that lost the lease: the one before may be dead. */
export async function storeRefreshToken(
  db: Database,
  botId: string,
  refreshTokenSealed: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ refreshTokenSealed }).where(eq(bots.id, botId));
  });
}
