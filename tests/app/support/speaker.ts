import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { minute } from '#domain/kernel/time.ts';

/** Adds a chat account that a bot process holds now. */
export const addSpeaker = (db: Database): Promise<unknown> =>
  db.transaction((tx) => {
    const sealed = { accessTokenSealed: '', refreshTokenSealed: '', scopes: [] };
    const token = { tokenObtainedAtMs: 0, tokenLifetimeSeconds: 0 };
    const leaseUntilMs = Date.now() + minute;
    return tx
      .insert(chatAccounts)
      .values({ twitchId: 'speaker', login: 'speaker', ...sealed, ...token, leaseUntilMs })
      .onConflictDoUpdate({ target: chatAccounts.twitchId, set: { leaseUntilMs } });
  });
