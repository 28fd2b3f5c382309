import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { sealGrant, type TwitchGrant } from './twitch-grant.ts';

/**
 * Replaces the grant identified by `replacesObtainedAtMs` with refreshed tokens. Refused if the user reconnected
 * meanwhile: the newer grant stays.
 */
export async function updateTwitchTokens(
  db: Database,
  input: { vault: Vault; twitchId: string; grant: TwitchGrant; replacesObtainedAtMs: number },
): Promise<Outcome<object, AccountCodeOf<'twitchGrantReplaced'>>> {
  const { vault, twitchId, grant, replacesObtainedAtMs } = input;
  return db.transaction(async (tx) => {
    const updated = await tx
      .update(twitchAccounts)
      .set(sealGrant(vault, grant, `twitch:${twitchId}`))
      .where(
        and(
          eq(twitchAccounts.twitchId, twitchId),
          eq(twitchAccounts.tokenObtainedAtMs, replacesObtainedAtMs),
        ),
      )
      .returning({ twitchId: twitchAccounts.twitchId });
    return updated.length > 0 ? done({}) : refuse('twitchGrantReplaced');
  });
}
