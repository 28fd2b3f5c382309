import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { checkouts, subscriptions } from '#db/schema/billing.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { erasePerson } from '#domain/account/erase-person.ts';
import { hasEmail } from '#domain/identity/email/email-address.ts';

/**
 * Discards an account whose address was never verified, in favour of somebody who proves that the address is
 * theirs. Otherwise anyone could keep an address's owner out by signing up with it first. An account that
 * owns or has linked anything stays.
 */
export async function discardUnverified(tx: Tx, { email }: { email: string }, nowMs: number): Promise<void> {
  const unverified = and(hasEmail(email), isNull(users.emailVerifiedAtMs), isNull(users.deletedAtMs));
  // Locked first, so that it is not verified meanwhile.
  const [squatter] = await tx
    .update(users)
    .set({ deletedAtMs: nowMs })
    .where(unverified)
    .returning({ userId: users.id, email: users.email });
  if (!squatter) return;
  if (await ownsAnything(tx, squatter.userId)) {
    await tx.update(users).set({ deletedAtMs: null }).where(eq(users.id, squatter.userId));
    return;
  }
  await erasePerson(tx, squatter, nowMs);
}

async function ownsAnything(tx: Tx, userId: string): Promise<boolean> {
  const counts = [
    await tx.$count(twitchAccounts, eq(twitchAccounts.userId, userId)),
    await tx.$count(steamAccounts, eq(steamAccounts.userId, userId)),
    await tx.$count(rules, eq(rules.ownerId, userId)),
    await tx.$count(items, eq(items.ownerId, userId)),
    await tx.$count(transfers, eq(transfers.userId, userId)),
    await tx.$count(rewards, eq(rewards.userId, userId)),
    await tx.$count(subscriptions, eq(subscriptions.userId, userId)),
    await tx.$count(checkouts, eq(checkouts.userId, userId)),
  ];
  return counts.some((count) => count > 0);
}
