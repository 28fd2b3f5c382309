import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { type PauseReason, rules } from '#db/schema/rule.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';

/** Pauses every open rule of a streamer for a stated reason; promises made stand. */
export async function pauseRulesOf(
  tx: Tx,
  { ownerId, reason }: { ownerId: string; reason: PauseReason },
  nowMs: number,
): Promise<void> {
  const open = await tx
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.ownerId, ownerId), eq(rules.state, 'open')));
  for (const { id } of open) await advanceRule(tx, id, 'paused', { pauseReason: reason }, nowMs);
}

/** Opens what was paused for this reason again, and serves who has waited meanwhile. */
export async function resumeRulesOf(
  tx: Tx,
  { ownerId, reason }: { ownerId: string; reason: PauseReason },
  nowMs: number,
): Promise<void> {
  const paused = await tx
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.ownerId, ownerId), eq(rules.state, 'paused'), eq(rules.pauseReason, reason)));
  for (const { id } of paused)
    if (await advanceRule(tx, id, 'resumed', { pauseReason: null }, nowMs)) await serveWaiting(tx, id, nowMs);
}
