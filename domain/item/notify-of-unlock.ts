import { and, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/**
 * Queues the mail that tells a streamer that the items of a deposit can be used. Whether that is still true
 * is checked before sending.
 */
export async function notifyOfUnlock(
  tx: Tx,
  deposit: { userId: string; transferId: string; unlockMs: number },
  nowMs: number,
): Promise<void> {
  const { userId, transferId, unlockMs } = deposit;
  const [owner] = await tx
    .select({ recipient: users.email, locale: users.locale, name: users.name })
    .from(users)
    .where(and(eq(users.id, userId), isNotNull(users.emailVerifiedAtMs), eq(users.notifyByMail, true)));
  if (!owner) return;
  const { recipient, locale, name } = owner;
  const values = { name, transferId };
  await queueMail(tx, { recipient, locale, template: 'itemsUsable', values, runAtMs: unlockMs }, nowMs);
}
