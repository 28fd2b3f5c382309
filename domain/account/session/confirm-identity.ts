import { and, eq, gt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { sessions, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { isPassword } from '#domain/account/password/password.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { minute } from '#domain/time.ts';

/** How long a confirmed identity is good for acts that someone with a stolen session must not do. */
const CONFIRMED_FOR_MS = 10 * minute;

/** Whether an identity confirmed at this time still counts. A time ahead of now does not. */
export const isConfirmed = (confirmedAtMs: number | null, nowMs: number): boolean =>
  confirmedAtMs !== null && confirmedAtMs <= nowMs && nowMs - confirmedAtMs < CONFIRMED_FOR_MS;

/** Confirms by the account's password who uses this session. */
export async function confirmByPassword(
  db: Database,
  input: { userId: string; token: string; password: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'passwordWrong' | 'passwordMissing' | 'sessionUnknown'>>> {
  const { userId, password } = input;
  const [user] = await db.read
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, userId));
  if (!user || user.passwordHash === null) return refuse('passwordMissing');
  if (!(await isPassword(password, user.passwordHash))) return refuse('passwordWrong');
  return confirm(db, input, nowMs);
}

/** Confirms who uses this session by a sign-in with the Twitch account that is linked; another one proves nothing. */
export async function confirmByTwitch(
  db: Database,
  input: { userId: string; token: string; twitchId: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'otherTwitchLinked' | 'sessionUnknown'>>> {
  const { userId, twitchId } = input;
  const [linked] = await db.read
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(and(eq(twitchAccounts.twitchId, twitchId), eq(twitchAccounts.userId, userId)));
  return linked ? confirm(db, input, nowMs) : refuse('otherTwitchLinked');
}

const confirm = (
  db: Database,
  { userId, token }: { userId: string; token: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'sessionUnknown'>>> =>
  db.transaction(async (tx) => {
    const confirmed = await tx
      .update(sessions)
      .set({ confirmedAtMs: nowMs })
      .where(
        and(
          eq(sessions.tokenHash, hashOf(token)),
          eq(sessions.userId, userId),
          gt(sessions.expiresAtMs, nowMs),
        ),
      )
      .returning({ userId: sessions.userId });
    return confirmed.length > 0 ? done({}) : refuse('sessionUnknown');
  });
