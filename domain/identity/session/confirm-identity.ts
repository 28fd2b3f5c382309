import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isPassword } from '#domain/identity/password/password.ts';
import {
  proveSecondFactor,
  readProof,
  type SecondFactorProof,
  type Times,
} from '#domain/identity/second-factor/prove-second-factor.ts';
import { type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { minute } from '#domain/kernel/time.ts';
import { rotateSession } from './rotate-session.ts';

/** A confirmed identity permits, for this long, the acts that a stolen session must not be enough for. */
const CONFIRMED_FOR_MS = 10 * minute;

type FirstFactorCode = AccountCodeOf<'secondFactorNeeded' | 'sessionUnknown'>;
type OwnSession = { userId: string; token: string };
/** The session's new token. The old one, and every copy of it, is worthless from now on. */
type Confirmed = { token: string };

/** Returns whether an identity confirmed at this time still counts. A time ahead of now does not. */
export const isConfirmed = (confirmedAtMs: number | null, nowMs: number): boolean =>
  confirmedAtMs !== null && confirmedAtMs <= nowMs && nowMs - confirmedAtMs < CONFIRMED_FOR_MS;

/**
 * Confirms the identity of this session's user by the account's password. Refused if there is a second
 * factor: somebody who stole the session may know the password too.
 */
export async function confirmByPassword(
  db: Database,
  input: { userId: string; token: string; password: string },
  nowMs: number,
): Promise<Outcome<Confirmed, AccountCodeOf<FirstFactorCode | 'passwordMissing' | 'passwordWrong'>>> {
  const { userId, password } = input;
  const [user] = await db.read
    .select({ passwordHash: users.passwordHash, secondFactorAtMs: users.secondFactorAtMs })
    .from(users)
    .where(eq(users.id, userId));
  if (!user || user.passwordHash === null) return refuse('passwordMissing');
  if (user.secondFactorAtMs !== null) return refuse('secondFactorNeeded');
  if (!(await isPassword(password, user.passwordHash))) return refuse('passwordWrong');
  return confirm(db, input, nowMs);
}

/**
 * Confirms the identity of this session's user by a sign-in with the linked Twitch account; another one
 * proves nothing. Refused if there is a second factor.
 */
export async function confirmByTwitch(
  db: Database,
  input: { userId: string; token: string; twitchId: string },
  nowMs: number,
): Promise<Outcome<Confirmed, AccountCodeOf<FirstFactorCode | 'otherTwitchLinked'>>> {
  const { userId, twitchId } = input;
  const [linked] = await db.read
    .select({ secondFactorAtMs: users.secondFactorAtMs })
    .from(twitchAccounts)
    .innerJoin(users, eq(users.id, twitchAccounts.userId))
    .where(and(eq(twitchAccounts.twitchId, twitchId), eq(twitchAccounts.userId, userId)));
  if (!linked) return refuse('otherTwitchLinked');
  return linked.secondFactorAtMs === null ? confirm(db, input, nowMs) : refuse('secondFactorNeeded');
}

/**
 * Confirms the identity of this session's user by the second factor: a code of the app, a recovery code, or a
 * passkey. It is used up even if the session has ended meanwhile.
 */
export async function confirmBySecondFactor(
  db: Database,
  input: SecondFactorProof & OwnSession,
  times: Times,
): Promise<Outcome<Confirmed, AccountCodeOf<'secondFactorWrong' | 'sessionUnknown'>>> {
  const { userId } = input;
  const proof = await readProof(db, input, times.nowMs);
  return db.transaction(async (tx) =>
    (await proveSecondFactor(tx, { userId, proof }, times))
      ? rotateSession(tx, { ...input, isProof: true }, times.nowMs)
      : refuse('secondFactorWrong'),
  );
}

const confirm = (db: Database, input: OwnSession, nowMs: number) =>
  db.transaction((tx) => rotateSession(tx, { ...input, isProof: true }, nowMs));
