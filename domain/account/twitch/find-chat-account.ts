import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { openGrant, type TwitchGrant } from './twitch-grant.ts';

export interface ChatAccount {
  twitchId: string;
  login: string;
  /** True if its grant was revoked, so that the operator must reconnect it. */
  broken: boolean;
  grant: TwitchGrant;
}

/** Finds the chat account by login or Twitch id; null if it is not connected. */
export async function findChatAccount(
  db: Database,
  input: { vault: Vault } & ({ login: string } | { twitchId: string }),
): Promise<ChatAccount | null> {
  const { vault } = input;
  const wanted =
    'login' in input
      ? eq(chatAccounts.login, input.login.toLowerCase())
      : eq(chatAccounts.twitchId, input.twitchId);
  const [row] = await db.read.select().from(chatAccounts).where(wanted);
  if (!row) return null;
  const { twitchId, login, broken } = row;
  return { twitchId, login, broken, grant: openGrant(vault, row, `chat:${twitchId}`) };
}
