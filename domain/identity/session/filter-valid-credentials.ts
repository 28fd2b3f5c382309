import { and, gt } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { apiTokens } from '#db/schema/access.ts';
import { sessions } from '#db/schema/user.ts';

/** A session or API token by its id. */
export interface Credential {
  by: 'session' | 'token';
  id: string;
  userId: string;
}

/** Returns the credentials that are still valid, with one query per kind. */
export async function filterValidCredentials(
  q: Reader,
  credentials: readonly Credential[],
  nowMs: number,
): Promise<Set<Credential>> {
  const idsOf = (kind: Credential['by']) => [
    ...new Set(credentials.flatMap(({ by, id }) => (by === kind ? [id] : []))),
  ];
  const owners = {
    session: await ownersOfSessions(q, idsOf('session'), nowMs),
    token: await ownersOfTokens(q, idsOf('token')),
  };
  return new Set(credentials.filter(({ by, id, userId }) => owners[by].get(id) === userId));
}

async function ownersOfSessions(q: Reader, ids: readonly string[], nowMs: number) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await q
    .select({ id: sessions.tokenHash, userId: sessions.userId })
    .from(sessions)
    .where(and(isAmong(sessions.tokenHash, ids), gt(sessions.expiresAtMs, nowMs)));
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}

async function ownersOfTokens(q: Reader, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await q
    .select({ id: apiTokens.id, userId: apiTokens.userId })
    .from(apiTokens)
    .where(isAmong(apiTokens.id, ids));
  return new Map(rows.map(({ id, userId }) => [id, userId]));
}
