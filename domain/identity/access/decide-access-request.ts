import { and, eq, gt } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { accessRequests, apiTokens } from '#db/schema/access.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isVerified } from '#domain/identity/email/is-verified.ts';
import { mayStillAct } from '#domain/identity/session/is-live-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hashOfUserCode, shownUserCode } from './access-request.ts';
import { MAX_API_TOKENS } from './issue-api-token.ts';

/** A request for access as the person sees it who is to decide. */
export interface OpenAccessRequest {
  program: string;
  /** Its code, as the program shows it. */
  userCode: string;
  createdAtMs: number;
}

const isOpen = (shown: string, nowMs: number) =>
  and(
    eq(accessRequests.userCodeHash, hashOfUserCode(shown)),
    is(accessRequests.state, 'waiting'),
    gt(accessRequests.expiresAtMs, nowMs),
  );

/** Finds a request that waits for a decision, by the code that its program shows; null if there is none. */
export async function findAccessRequest(
  q: Reader,
  { userCode }: { userCode: string },
  nowMs: number,
): Promise<OpenAccessRequest | null> {
  const shown = shownUserCode(userCode);
  if (shown === null) return null;
  const [found] = await q
    .select({ program: accessRequests.program, createdAtMs: accessRequests.createdAtMs })
    .from(accessRequests)
    .where(isOpen(shown, nowMs));
  return found ? { ...found, userCode: shown } : null;
}

/**
 * Allows or refuses a program's request for access, for good. An answer that arrives twice is the same as once. Refused for
 * unknown and expired codes and for those that somebody else decided, to an account without a verified address or with too
 * many tokens, and to a session (`currentToken`) that ended meanwhile.
 */
export async function decideAccessRequest(
  db: Database,
  input: { userId: string; userCode: string; isAllowed: boolean; currentToken?: string },
  nowMs: number,
): Promise<
  Outcome<object, AccountCodeOf<'sessionUnknown' | 'unverified' | 'tooManyTokens' | 'accessRequestUnknown'>>
> {
  const { userId, isAllowed } = input;
  const shown = shownUserCode(input.userCode);
  if (shown === null) return refuse('accessRequestUnknown');
  const state = isAllowed ? 'allowed' : 'refused';
  return db.transaction(async (tx) => {
    if (!(await mayStillAct(tx, input, nowMs))) return refuse('sessionUnknown');
    if (!(await isVerified(tx, { userId }))) return refuse('unverified');
    if (isAllowed && (await tx.$count(apiTokens, eq(apiTokens.userId, userId))) >= MAX_API_TOKENS)
      return refuse('tooManyTokens');
    const [decided] = await tx
      .update(accessRequests)
      .set({ state, userId })
      .where(isOpen(shown, nowMs))
      .returning({ state: accessRequests.state });
    if (decided) return done({});
    const [known] = await tx
      .select({ state: accessRequests.state })
      .from(accessRequests)
      .where(and(eq(accessRequests.userCodeHash, hashOfUserCode(shown)), eq(accessRequests.userId, userId)));
    const isSame = known && (known.state === 'refused') === !isAllowed;
    return isSame ? done({}) : refuse('accessRequestUnknown');
  });
}
