import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { recordChatFault } from './record-chat-fault.ts';

/**
 * Records for each channel with an open rule that none of the named chat accounts is connected, or that one is again.
 * What Twitch reports of a chat stays, and without names nobody was told of a bot. Returns the number of channels.
 */
export async function recordUnconnectedChats(
  db: Database,
  { logins }: { logins: readonly string[] },
  nowMs: number,
): Promise<number> {
  const [connected] = await db.read
    .select({ login: chatAccounts.login })
    .from(chatAccounts)
    .where(
      and(
        eq(chatAccounts.broken, false),
        inArray(
          chatAccounts.login,
          logins.map((login) => login.toLowerCase()),
        ),
      ),
    )
    .limit(1);
  const isMissing = logins.length > 0 && connected === undefined;
  const [instead, fault] = isMissing ? ([null, 'notConnected'] as const) : (['notConnected', null] as const);
  const concerned = await db.read
    .selectDistinct({ channelId: channels.id })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(
      and(
        is(rules.state, 'open'),
        isMissing ? isNull(channels.chatFault) : is(channels.chatFault, 'notConnected'),
      ),
    );
  for (const { channelId } of concerned) await recordChatFault(db, { channelId, fault, instead }, nowMs);
  return concerned.length;
}
