import { and, eq, inArray, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type BotState, bots } from '#db/schema/bot.ts';
import { isUnleased } from '#domain/kernel/lease.ts';
import { heartbeatLock } from '#domain/kernel/locks.ts';
import { recordHeartbeats } from './record-heartbeat.ts';

/** A bot's Steam session belongs to one process for this long after its last renewal. System time. */
export const BOT_LEASE_MS = 45_000;

/**
 * Takes or renews the leases of these bots' Steam accounts, and records a heartbeat of each one that is ready
 * and leased, in one transaction. The row of one that is ready says so when its lease is taken from another process, which
 * may have left its own state there. A bot's row is written when it is first leased. Returns the ids of the bots
 * that `holder` has now. Any other account is leased by another process, whose session would end if we logged
 * on.
 */
export async function leaseBots(
  db: Database,
  { holder, wanted }: { holder: string; wanted: readonly { botId: string; isReady: boolean }[] },
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<Set<string>> {
  const botIds = wanted.map(({ botId }) => botId);
  if (botIds.length === 0) return new Set();
  return db.transaction(
    async (tx) => {
      await tx
        .insert(bots)
        .values(botIds.map((id) => ({ id, firstSeenAtMs: nowMs })))
        .onConflictDoNothing();
      const isFree = or(eq(bots.leaseHolder, holder), isUnleased(bots.leaseUntilMs, BOT_LEASE_MS, systemMs));
      const held = await tx
        .select({ id: bots.id })
        .from(bots)
        .where(and(inArray(bots.id, botIds), eq(bots.leaseHolder, holder)));
      const leased = await tx
        .update(bots)
        .set({ leaseHolder: holder, leaseUntilMs: systemMs + BOT_LEASE_MS })
        .where(and(inArray(bots.id, botIds), isFree))
        .returning({ id: bots.id });
      const ours = new Set(leased.map(({ id }) => id));
      const ready = wanted.flatMap(({ botId, isReady }) => (isReady && ours.has(botId) ? [botId] : []));
      await recordHeartbeats(tx, ready, { systemMs, nowMs });
      const taken = ready.filter((botId) => !held.some(({ id }) => id === botId));
      if (taken.length > 0)
        await tx.update(bots).set({ state: 'ready', fault: null }).where(inArray(bots.id, taken));
      return ours;
    },
    { lock: heartbeatLock, quiet: true },
  );
}

/** Releases the lease at a graceful stop so that the next process need not wait for it to expire. */
export async function releaseBot(
  db: Database,
  { botId, holder }: { botId: string; holder: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(bots)
      .set({ leaseUntilMs: 0, leaseHolder: null, state: 'offline' })
      .where(and(eq(bots.id, botId), eq(bots.leaseHolder, holder)));
  });
}

export type BotFacts = Partial<
  Pick<
    typeof bots.$inferSelect,
    'steamId' | 'fault' | 'protectionAcknowledged' | 'logOnPausedAtMs' | 'logOnPauseMs' | 'logOnFailures'
  >
> & { state?: BotState };

/**
 * Stores facts that the process which has the bot's lease learned about its account. Facts of another process are out of
 * date and are left out.
 */
export async function reportBot(
  db: Database,
  { botId, holder }: { botId: string; holder: string },
  facts: BotFacts,
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(bots)
      .set(facts)
      .where(and(eq(bots.id, botId), eq(bots.leaseHolder, holder)));
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
