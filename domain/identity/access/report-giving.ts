import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { sessions } from '#db/schema/user.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { isConfirmed } from '#domain/identity/session/confirm-identity.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { day } from '#domain/kernel/time.ts';
import { isFirstReport } from './is-first-report.ts';

const reports = {
  session: { change: 'sessionGives', windowMs: day },
  token: { change: 'tokenGives', windowMs: 30 * day },
  dock: { change: 'dockGives', windowMs: day },
} as const;

/** A credential that gives items; a dock's id is the hash of the secret in its address. */
export type Giver = Credential | { by: 'dock'; id: string; userId: string };

/**
 * Mails an account's owner, in the act's own transaction, that a rule was opened or rewards were added to
 * one. It does so if an API token acted, or a session whose user has not lately proved who they are, because
 * a thief who copied either could give the account's items to themselves. A session is reported once a day.
 * Programs give rewards all day, and nobody would read a mail for each act, so a token is reported at its
 * first act and then at most once in 30 days. A dock's address alone lets somebody start a prepared raffle, so a start
 * with it is reported, once a day for each address.
 */
export async function reportGiving(tx: Tx, credential: Giver, nowMs: number): Promise<void> {
  const { by, id, userId } = credential;
  if (by === 'session' && !(await lacksProof(tx, { id, userId }, nowMs))) return;
  const { change, windowMs } = reports[by];
  if (await isFirstReport(tx, { key: `${change}:${id}`, windowMs }, nowMs))
    await notifyOfChange(tx, { userId, change }, nowMs);
}

async function lacksProof(
  tx: Tx,
  { id, userId }: Pick<Credential, 'id' | 'userId'>,
  nowMs: number,
): Promise<boolean> {
  const [session] = await tx
    .select({ confirmedAtMs: sessions.confirmedAtMs })
    .from(sessions)
    .where(and(eq(sessions.tokenHash, id), eq(sessions.userId, userId)));
  return session !== undefined && !isConfirmed(session.confirmedAtMs, nowMs);
}
