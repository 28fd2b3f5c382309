import { and, eq, or } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { isUnleased } from '#domain/kernel/lease.ts';

/** The chat account belongs to one process for this long after its last renewal. System time. */
export const CHAT_LEASE_MS = 20_000;

interface Claimant {
  twitchId: string;
  /** Identifies this process among all that share the database. */
  holder: string;
}

/**
 * Takes or renews the chat account's lease. Returns false if another process holds it; both would answer every
 * command.
 */
export async function leaseChatAccount(
  db: Database,
  { twitchId, holder }: Claimant,
  systemMs: number,
): Promise<boolean> {
  const take = async (tx: Tx): Promise<boolean> => {
    const mine = await tx
      .update(chatAccounts)
      .set({ leaseHolder: holder, leaseUntilMs: systemMs + CHAT_LEASE_MS })
      .where(
        and(
          eq(chatAccounts.twitchId, twitchId),
          or(
            eq(chatAccounts.leaseHolder, holder),
            isUnleased(chatAccounts.leaseUntilMs, CHAT_LEASE_MS, systemMs),
          ),
        ),
      )
      .returning({ twitchId: chatAccounts.twitchId });
    return mine.length === 1;
  };
  return db.transaction(take, { quiet: true });
}

/** Releases this process's chat account, so that the next process need not wait for the lease to expire. */
export async function releaseChatAccount(db: Database, holder: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(chatAccounts)
      .set({ leaseHolder: null, leaseUntilMs: 0 })
      .where(eq(chatAccounts.leaseHolder, holder));
  });
}
