import { and, asc, eq, gt } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';

/** Lists the logins of chat accounts that a process holds now. System time. */
export async function listChatLogins(q: Reader, systemMs: number): Promise<string[]> {
  const rows = await q
    .select({ login: chatAccounts.login })
    .from(chatAccounts)
    .where(and(eq(chatAccounts.broken, false), gt(chatAccounts.leaseUntilMs, systemMs)))
    .orderBy(asc(chatAccounts.login));
  return rows.map(({ login }) => login);
}
