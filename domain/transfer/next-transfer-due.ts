import { and, eq, gt, min } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { leaseLeftMs } from '#domain/kernel/lease.ts';
import { SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { underWay } from '#domain/transfer/under-way.ts';

interface OfBot {
  botId: string;
}

/** Milliseconds until the bot's next deferred transfer is due; null if there is none. */
export async function nextQueuedMs(q: Reader, { botId }: OfBot, nowMs: number): Promise<number | null> {
  const [next] = await q
    .select({ runAtMs: min(transfers.runAtMs) })
    .from(transfers)
    .where(and(eq(transfers.botId, botId), underWay(['queued']), gt(transfers.runAtMs, nowMs)));
  return next?.runAtMs ? Number(next.runAtMs) - nowMs : null;
}

/** Milliseconds of system time until the bot's next send lease expires; null if nothing is being sent. */
export async function nextSendingEndMs(
  q: Reader,
  { botId }: OfBot,
  systemMs: number,
): Promise<number | null> {
  const [next] = await q
    .select({ untilMs: min(transfers.leaseUntilMs) })
    .from(transfers)
    .where(and(eq(transfers.botId, botId), underWay(['sending'])));
  return next?.untilMs ? leaseLeftMs(Number(next.untilMs), SENDING_LEASE_MS, systemMs) : null;
}
