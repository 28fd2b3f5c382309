import type { Database } from '#db/database.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { resumeRulesOf } from '#domain/rule/pause-rules.ts';

/**
 * Resumes paused rules, as reconnecting Twitch does: in one transaction, followed by an evaluation of their viewers.
 */
export async function resumeRules(
  db: Database,
  at: Parameters<typeof resumeRulesOf>[1],
  nowMs: number,
): Promise<void> {
  const opened = await db.transaction((tx) => resumeRulesOf(tx, at, nowMs));
  await evaluateRules(db, opened, nowMs);
}
