import type { Database } from '#db/database.ts';
import { disownAccess } from '#domain/account/disown-access.ts';
import { endFreeze } from '#domain/freeze/end-freeze.ts';
import type { FreezeChoice } from '#domain/freeze/freeze-choice.ts';
import { listFrozenRules } from '#domain/freeze/list-frozen-rules.ts';
import { issueEmailToken } from '#domain/identity/email/issue-email-token.ts';

/** The owner disowns an act of that time by the link of its mail. */
export async function disown(db: Database, { userId }: { userId: string }, actAtMs: number, nowMs: number) {
  const link = { userId, email: 'owner@example.org', purpose: 'disown', actAtMs } as const;
  const token = await db.transaction((tx) => issueEmailToken(tx, link, nowMs));
  return disownAccess(db, { token }, nowMs);
}

/** The owner ends a freeze, with the same choice for each frozen rule. */
export async function endFreezeOf(
  db: Database,
  { userId }: { userId: string },
  choice: FreezeChoice,
  nowMs: number,
) {
  const frozen = await listFrozenRules(db.read, { userId });
  const choices = Object.fromEntries(frozen.map(({ id }) => [id, choice] as const));
  return endFreeze(db, { userId, choices }, nowMs);
}
