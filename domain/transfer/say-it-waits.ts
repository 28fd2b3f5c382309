import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { announce } from '#domain/outbox/announce.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** The reasons, in its timeline, why a queued transfer waits: the step, and why it is not sent yet. */
export const waits = {
  forPlace: { event: 'waits', detail: 'noPlace' },
  forRoom: { event: 'waitsForRoom', detail: 'noRoom' },
} as const;
type Wait = (typeof waits)[keyof typeof waits];

/**
 * Records once in a queued transfer's timeline that it waits. A transfer that waits again later has another
 * reason in between.
 */
export const sayItWaits = (
  db: Database,
  transferId: string,
  { event, detail }: Wait,
  nowMs: number,
): Promise<void> =>
  db.transaction(async (tx) => {
    const [marked] = await tx
      .update(transfers)
      .set({ lastError: detail })
      .where(
        and(
          eq(transfers.id, transferId),
          underWay(['queued']),
          sql`coalesce(${transfers.lastError}, '') <> ${detail}`,
        ),
      )
      .returning({ userId: transfers.userId });
    if (!marked) return;
    const step = { id: newId(nowMs), transferId, state: 'queued', event, detail, atMs: nowMs } as const;
    await tx.insert(transferSteps).values(step);
    await announce(tx, [{ userId: marked.userId, kind: 'transfer.changed', subjectId: transferId }], nowMs);
  });
