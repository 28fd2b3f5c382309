import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { openGrant, type TwitchGrant } from './twitch-grant.ts';

/** Returns the tokens of a Twitch account; null if it is not linked or its grant was revoked. */
export async function findTwitchGrant(
  db: Database,
  input: { vault: Vault; twitchId: string },
): Promise<TwitchGrant | null> {
  const { vault, twitchId } = input;
  const [row] = await db.read
    .select()
    .from(twitchAccounts)
    .where(and(eq(twitchAccounts.twitchId, twitchId), is(twitchAccounts.state, 'connected')));
  return row ? openGrant(vault, row, `twitch:${twitchId}`) : null;
}
