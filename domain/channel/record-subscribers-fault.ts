import { and, eq, isNull } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, type SubscribersFault } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/**
 * Records why Twitch does not report a channel's subscribers, to show the streamer, who is mailed once; the next
 * complete list clears it.
 */
export async function recordSubscribersFault(
  db: Database,
  { channelId, fault }: { channelId: string; fault: SubscribersFault },
  nowMs: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const changed = await tx
      .update(channels)
      .set({ subscribersFault: fault })
      .where(and(eq(channels.id, channelId), isNull(channels.subscribersFault)))
      .returning({ id: channels.id });
    if (changed.length === 1) await writeOfSubscribersFault(tx, channelId, nowMs);
  });
}

/** Mails the streamer that nobody can meet a rule for subscribers. Runs in the caller's transaction. */
export async function writeOfSubscribersFault(tx: Tx, channelId: string, nowMs: number): Promise<void> {
  const [streamer] = await tx
    .select({ user: users, channel: twitchAccounts.displayName })
    .from(twitchAccounts)
    .innerJoin(users, eq(users.id, twitchAccounts.userId))
    .where(eq(twitchAccounts.twitchId, channelId));
  if (!streamer?.user.emailVerifiedAtMs) return;
  const { email: recipient, locale, name } = streamer.user;
  const values = { name, channel: streamer.channel };
  await queueMail(tx, { recipient, locale, template: 'noSubscribers', values }, nowMs);
}
