import { lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { openIdNonces } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { day } from '#domain/time.ts';

/**
 * Uses up the nonce of an OpenID answer. `nowMs` is system time, as the nonce's own is; the caller refuses answers
 * older than minutes, so that forgetting nonces after a day lets nothing in.
 */
export async function consumeOpenIdNonce(
  db: Database,
  input: { nonce: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'nonceReplayed'>>> {
  return db.transaction(async (tx) => {
    await tx.delete(openIdNonces).where(lt(openIdNonces.seenAtMs, nowMs - day));
    const added = await tx
      .insert(openIdNonces)
      .values({ nonce: input.nonce, seenAtMs: nowMs })
      .onConflictDoNothing()
      .returning({ nonce: openIdNonces.nonce });
    return added.length > 0 ? done({}) : refuse('nonceReplayed');
  });
}
