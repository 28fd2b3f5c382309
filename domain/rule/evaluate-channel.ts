import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { qualify } from '#domain/rule/qualify.ts';

/** The full sweep: every registered viewer under every open rule of a channel. Hourly, and when follows changed. */
export async function evaluateChannel(database: Database, channelId: string, nowMs: number): Promise<number> {
  return database.transaction((tx) => qualify(tx, { rules: eq(rules.channelId, channelId) }, nowMs), {
    lock: channelLock(channelId),
  });
}
