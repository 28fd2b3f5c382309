import { and, eq } from 'drizzle-orm';
import { holdLock, type Tx } from '#db/database.ts';
import { type PauseReason, rules } from '#db/schema/rule.ts';
import { channelLock, serveWaiting } from '#domain/reward/serve-waiting.ts';
import { advanceRule } from '#domain/rule/advance-rule.ts';
import { qualify } from '#domain/rule/qualify.ts';
import { lookAtEveryone } from '#domain/watch-time/look-at.ts';

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

/**
 * Opens what was paused for this reason again, and serves who has waited or met it meanwhile. Watch time went on under
 * the pause and its marks did not mind the rule, so the next tick looks at everyone.
 */
export async function resumeRulesOf(
  tx: Tx,
  { ownerId, reason }: { ownerId: string; reason: PauseReason },
  nowMs: number,
): Promise<void> {
  const paused = await tx
    .select({ id: rules.id, channelId: rules.channelId })
    .from(rules)
    .where(and(eq(rules.ownerId, ownerId), eq(rules.state, 'paused'), eq(rules.pauseReason, reason)));
  for (const { id, channelId } of paused) {
    await holdLock(tx, channelLock(channelId));
    if (!(await advanceRule(tx, id, 'resumed', { pauseReason: null }, nowMs))) continue;
    await lookAtEveryone(tx, channelId);
    await qualify(tx, { rules: eq(rules.id, id) }, nowMs);
    await serveWaiting(tx, id, nowMs);
  }
}
