import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { sealGrant, type TwitchGrant } from './twitch-grant.ts';

/**
 * Replaces the chat account's grant with refreshed tokens or, with `grant: null`, marks it revoked. Refused if the
 * operator reconnected the account meanwhile: the newer grant stays.
 */
export async function updateChatTokens(
  db: Database,
  input: { vault: Vault; twitchId: string; grant: TwitchGrant | null; replacesObtainedAtMs: number },
): Promise<Outcome<object, AccountCodeOf<'twitchGrantReplaced'>>> {
  const { vault, twitchId, grant, replacesObtainedAtMs } = input;
  return db.transaction(async (tx) => {
    const updated = await tx
      .update(chatAccounts)
      .set(grant ? sealGrant(vault, grant, `chat:${twitchId}`) : { broken: true })
      .where(
        and(eq(chatAccounts.twitchId, twitchId), eq(chatAccounts.tokenObtainedAtMs, replacesObtainedAtMs)),
      )
      .returning({ twitchId: chatAccounts.twitchId });
    return updated.length > 0 ? done({}) : refuse('twitchGrantReplaced');
  });
}
