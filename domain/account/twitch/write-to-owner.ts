import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import type { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/** Mails the owner of a linked account why its channel cannot be used, and how many rules on it are paused. */
export async function writeToOwner(
  tx: Tx,
  {
    account: { userId, twitchId, displayName: channel },
    template,
  }: { account: typeof twitchAccounts.$inferSelect; template: 'twitchRestricted' | 'channelMissing' },
  nowMs: number,
): Promise<void> {
  const [owner] = await tx.select().from(users).where(eq(users.id, userId));
  if (!owner?.emailVerifiedAtMs) return;
  const { email: recipient, locale, name } = owner;
  const paused = await tx.$count(rules, and(eq(rules.channelId, twitchId), is(rules.state, 'paused')));
  const values = { name, channel, rules: String(paused) };
  await queueMail(tx, { recipient, locale, template, values }, nowMs);
}
