import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { findNewcomers, type Newcomer, take } from '#domain/rule/qualify.ts';

/**
 * Evaluates one viewer under every open rule. It is called after they verify their address, because earlier
 * watch time counts then. Takes the locks of all channels on which the viewer meets one.
 */
export async function evaluateViewer(tx: Tx, viewer: { twitchId: string }, nowMs: number): Promise<number> {
  const met = await findRulesMet(tx, viewer, nowMs);
  const channels = await lockChannels(
    tx,
    met.map(({ channelId }) => channelId),
  );
  return (await take(channels, met, nowMs)).qualified;
}

/** Finds the open rules that a viewer meets for the first time. */
export const findRulesMet = (
  tx: Tx,
  { twitchId }: { twitchId: string },
  nowMs: number,
): Promise<Newcomer[]> =>
  findNewcomers(tx, { rules: sql`1 = 1`, among: eq(twitchAccounts.twitchId, twitchId) }, nowMs);
