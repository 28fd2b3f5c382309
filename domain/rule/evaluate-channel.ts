import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { channelLock, serveWaiting } from '#domain/reward/serve-waiting.ts';
import { qualify } from '#domain/rule/qualify.ts';

/**
 * The full sweep: every registered viewer under every open rule of a channel, hourly and when follows changed. Whoever
 * waits is served as well, because a reward whose item was locked or missing may be free to promise by now. Returns the
 * number of new qualifications.
 */
export async function evaluateChannel(database: Database, channelId: string, nowMs: number): Promise<number> {
  return database.transaction(
    async (tx) => {
      const qualified = await qualify(tx, { rules: eq(rules.channelId, channelId) }, nowMs);
      const open = await tx
        .select({ id: rules.id })
        .from(rules)
        .where(and(eq(rules.channelId, channelId), is(rules.state, 'open')));
      const ruleIds = open.map(({ id }) => id);
      await serveWaiting(tx, ruleIds, nowMs);
      return qualified;
    },
    { lock: channelLock(channelId) },
  );
}
