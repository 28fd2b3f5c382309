import { and, eq, inArray, isNull, type SQL } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
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
  const isConcerned = isMissing ? isNull(channels.chatFault) : is(channels.chatFault, 'notConnected');
  const concerned = await listOpen(db.read, isConcerned);
  for (const { channelId } of concerned) await recordChatFault(db, { channelId, fault, instead }, nowMs);
  return concerned.length;
}

/** Number of channels that one query looks up by their ids. */
const LOOKED_UP_AT_ONCE = 200;

/** Lists the channels with an open rule that meet the condition. Begins with the rules, which are fewer. */
async function listOpen(q: Reader, isConcerned: SQL | undefined): Promise<{ channelId: string }[]> {
  const open = await q
    .selectDistinct({ channelId: rules.channelId })
    .from(rules)
    .where(is(rules.state, 'open'));
  const found: { channelId: string }[] = [];
  for (let from = 0; from < open.length; from += LOOKED_UP_AT_ONCE) {
    const ids = open.slice(from, from + LOOKED_UP_AT_ONCE).map(({ channelId }) => channelId);
    const some = await q
      .select({ channelId: channels.id })
      .from(channels)
      .where(and(inArray(channels.id, ids), isConcerned));
    found.push(...some);
  }
  return found;
}
