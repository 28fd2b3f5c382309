import { lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { openIdNonces } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { day } from '#domain/kernel/time.ts';

/**
 * Consumes an OpenID response nonce. `nowMs` is system time, like the nonce's own; the caller rejects responses older
 * than minutes, so deleting nonces after a day is safe.
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
