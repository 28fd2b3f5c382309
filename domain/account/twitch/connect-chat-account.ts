import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { sealGrant, type TwitchGrant } from './twitch-grant.ts';

/** Stores the chat account with its new tokens and clears a broken grant. */
export async function connectChatAccount(
  db: Database,
  input: { vault: Vault; twitchId: string; login: string; grant: TwitchGrant },
): Promise<void> {
  const { vault, twitchId, login, grant } = input;
  const state = { login, ...sealGrant(vault, grant, `chat:${twitchId}`), broken: false };
  await db.transaction(async (tx) => {
    await tx
      .insert(chatAccounts)
      .values({ twitchId, ...state })
      .onConflictDoUpdate({ target: chatAccounts.twitchId, set: state });
  });
}
