import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { occupyLeases } from '#tests/support/leases.ts';

/** Adds a chat account that a bot process holds now. */
export async function addSpeaker(db: Database): Promise<void> {
  const sealed = { accessTokenSealed: '', refreshTokenSealed: '', scopes: [] };
  const token = { tokenObtainedAtMs: 0, tokenLifetimeSeconds: 0 };
  await db.transaction(async (tx) => {
    await tx
      .insert(chatAccounts)
      .values({ twitchId: 'speaker', login: 'speaker', ...sealed, ...token })
      .onConflictDoNothing();
  });
  await occupyLeases(db, ['chat:speaker']);
}
