import { and, asc, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { leases } from '#db/schema/lease.ts';
import { isInForce } from '#domain/bot/take-leases.ts';

/** Lists the logins of chat accounts that a process uses now. */
export async function listChatLogins(q: Reader): Promise<string[]> {
  const rows = await q
    .select({ login: chatAccounts.login })
    .from(chatAccounts)
    .innerJoin(leases, eq(leases.name, sql`'chat:' || ${chatAccounts.twitchId}`))
    .where(and(eq(chatAccounts.broken, false), isInForce))
    .orderBy(asc(chatAccounts.login));
  return rows.map(({ login }) => login);
}
