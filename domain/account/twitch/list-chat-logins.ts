import { and, asc, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { isLeased } from '#domain/kernel/lease.ts';
import { CHAT_LEASE_MS } from './lease-chat-account.ts';

/** Lists the logins of chat accounts that a process holds now. System time. */
export async function listChatLogins(q: Reader, systemMs: number): Promise<string[]> {
  const rows = await q
    .select({ login: chatAccounts.login })
    .from(chatAccounts)
    .where(and(eq(chatAccounts.broken, false), isLeased(chatAccounts.leaseUntilMs, CHAT_LEASE_MS, systemMs)))
    .orderBy(asc(chatAccounts.login));
  return rows.map(({ login }) => login);
}
