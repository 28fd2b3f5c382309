import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { qualify } from '#domain/rule/qualify.ts';

/**
 * Evaluates one viewer under every open rule: after linking Twitch or verifying the address, earlier watch time
 * counts. Runs in the caller's transaction.
 */
export async function evaluateViewer(
  tx: Tx,
  { twitchId }: { twitchId: string },
  nowMs: number,
): Promise<number> {
  return qualify(tx, { rules: sql`1 = 1`, among: eq(twitchAccounts.twitchId, twitchId) }, nowMs);
}
