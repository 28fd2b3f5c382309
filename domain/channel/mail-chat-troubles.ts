import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { day } from '#domain/kernel/time.ts';
import { queueMail } from '#domain/outbox/queue-mail.ts';

/** Trouble that lasts as long is mailed: most ends by itself, or is noticed on the site. */
const MAIL_AFTER_MS = day;

/** The reason why the bot's lines do not reach a chat, and since when: null if a version before did not record that. */
export interface ChatTrouble {
  fault: ChatFault;
  sinceMs: number | null;
}

/**
 * Returns what keeps the bot's lines from a channel's chat; null if nothing does, or if no rule is open there: then
 * nobody looks whether the trouble has ended.
 */
export async function findChatTrouble(q: Reader, channelId: string): Promise<ChatTrouble | null> {
  const [channel] = await q
    .select({ fault: channels.chatFault, sinceMs: channels.chatFaultSinceMs })
    .from(channels)
    .innerJoin(rules, and(eq(rules.channelId, channels.id), is(rules.state, 'open')))
    .where(eq(channels.id, channelId))
    .limit(1);
  return channel?.fault ? { fault: channel.fault, sinceMs: channel.sinceMs } : null;
}

/**
 * Mails each broadcaster whose chat has not taken the bot's lines for a day, once for a trouble and only while a rule
 * is open there. Returns the number of mails.
 */
export async function mailChatTroubles(db: Database, nowMs: number): Promise<number> {
  const troubled = await db.read
    .selectDistinct({ channelId: channels.id, sinceMs: channels.chatFaultSinceMs })
    .from(channels)
    .innerJoin(rules, and(eq(rules.channelId, channels.id), is(rules.state, 'open')))
    .where(and(isNotNull(channels.chatFault), sql`not ${channels.chatFaultMailed}`));
  let mailed = 0;
  for (const { channelId, sinceMs } of troubled) {
    // Recorded by a version that did not keep since when.
    if (sinceMs === null) await beginNow(db, channelId, nowMs);
    else if (nowMs - sinceMs >= MAIL_AFTER_MS && (await mailTrouble(db, { channelId, sinceMs }, nowMs)))
      mailed += 1;
  }
  return mailed;
}

const beginNow = (db: Database, channelId: string, nowMs: number) =>
  db.transaction((tx) =>
    tx
      .update(channels)
      .set({ chatFaultSinceMs: nowMs })
      .where(
        and(eq(channels.id, channelId), isNotNull(channels.chatFault), isNull(channels.chatFaultSinceMs)),
      ),
  );

/** Queues the mail if it is still the same trouble and nobody has. Returns false if it did not. */
function mailTrouble(
  db: Database,
  { channelId, sinceMs }: { channelId: string; sinceMs: number },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const isSame = and(eq(channels.id, channelId), eq(channels.chatFaultSinceMs, sinceMs));
    const [channel] = await tx
      .update(channels)
      .set({ chatFaultMailed: true })
      .where(and(isSame, isNotNull(channels.chatFault), eq(channels.chatFaultMailed, false)))
      .returning({ displayName: channels.displayName, fault: channels.chatFault });
    const [owner] = await tx
      .select({ name: users.name, recipient: users.email, locale: users.locale })
      .from(twitchAccounts)
      .innerJoin(users, eq(users.id, twitchAccounts.userId))
      .where(and(eq(twitchAccounts.twitchId, channelId), isNotNull(users.emailVerifiedAtMs)));
    if (!channel?.fault || !owner) return false;
    const { name, ...to } = owner;
    const { displayName, fault } = channel;
    const values = { name, channel: displayName, channelId, fault, sinceMs: String(sinceMs) };
    await queueMail(tx, { ...to, template: 'chatTrouble', values }, nowMs);
    return true;
  });
}
