import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { mails } from '#db/schema/outbox.ts';
import { registerUser } from '#domain/account/register-user.ts';
import type { TwitchGrant, TwitchPerson } from '#domain/account/twitch/twitch-grant.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { issueExtensionCode } from '#domain/identity/access/issue-extension-code.ts';
import { streamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { createVault } from '#platform/vault.ts';

export const vault = createVault(randomBytes(32).toString('base64'));
export const noonMs = Date.UTC(2026, 4, 1, 12);

export const mira = { name: 'Mira', email: 'mira@example.org', passwordHash: 'phc', locale: 'en' } as const;
export const otto = { ...mira, name: 'Otto', email: 'otto@example.org' } as const;

export const miraOnTwitch: TwitchPerson = {
  twitchId: '4001',
  login: 'mira_plays',
  displayName: 'Mira_Plays',
  pictureUrl: '',
  email: 'mira@example.org',
};
export const ottoOnTwitch: TwitchPerson = {
  ...miraOnTwitch,
  twitchId: '4002',
  login: 'otto_live',
  displayName: 'Otto_Live',
  email: 'otto@example.org',
};

export const viewerGrant: TwitchGrant = {
  accessToken: 'access-viewer',
  refreshToken: 'refresh-viewer',
  scopes: [...viewerScopes],
  obtainedAtMs: noonMs,
  lifetimeSeconds: 14_000,
};
export const streamerGrant: TwitchGrant = {
  ...viewerGrant,
  accessToken: 'access-streamer',
  refreshToken: 'refresh-streamer',
  scopes: [...viewerScopes, ...streamerScopes],
  obtainedAtMs: noonMs + 1,
};

/** Registers a new user. */
export async function register(db: Database, person: Parameters<typeof registerUser>[1], nowMs = noonMs) {
  const outcome = await registerUser(db, person, nowMs);
  if (!outcome.ok) throw new Error(outcome.code);
  return outcome.userId;
}

/** The tokens in the verification mails to an address, oldest first. */
export async function mailedTokens(db: Database, recipient: string): Promise<string[]> {
  const rows = await db.read.select().from(mails).where(eq(mails.recipient, recipient)).orderBy(mails.id);
  return rows.map((row) => row.values.token ?? '');
}

/** Registers a new user and verifies the address. */
export async function join(db: Database, person: Parameters<typeof registerUser>[1], nowMs = noonMs) {
  const userId = await register(db, person, nowMs);
  const token = (await mailedTokens(db, person.email)).at(-1) ?? '';
  const verified = await verifyEmail(db, { token }, nowMs);
  if (!verified.ok) throw new Error(verified.code);
  return userId;
}

/** A companion app code for a verified user. */
export async function extensionCodeOf(db: Database, userId: string, nowMs = Date.now()) {
  const issued = await issueExtensionCode(db, { userId }, nowMs);
  if (!issued.ok) throw new Error(issued.code);
  return { code: issued.code, expiresAtMs: issued.expiresAtMs };
}
