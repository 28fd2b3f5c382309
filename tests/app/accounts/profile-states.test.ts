import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { en } from '#app/locales/en.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { users } from '#db/schema/user.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import { channelScopes, streamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

await setWeb({ TWITCH_CLIENT_ID: 'demo client', TWITCH_CLIENT_SECRET: 'demo secret' });
let db: Database;
beforeAll(async () => {
  db = await database();
});

const { twitch, steam, tradeLink, password } = en.profile;
const scopes = {
  'moderator:read:chatters': twitch.scope.chatters,
  'moderator:read:followers': twitch.scope.followers,
  'channel:read:subscriptions': twitch.scope.subscriptions,
};
const allScopes = Object.values(scopes);
const permit = 'href="/auth/twitch?permissions=streamer"';
const { broken, missing, missingPermissions } = en.errors.twitch;

/** The text and markup of this person's profile. */
async function profileOf(userId: string): Promise<{ words: string; html: string }> {
  const page = await (await readerOf(userId)).open('/profile');
  expect(page.status).toBe(200);
  return { words: wordsOf(page.html), html: page.html };
}

/** Returns those of these sentences that the page contains. */
const saidOf = (words: string, sentences: readonly string[]) =>
  sentences.filter((sentence) => words.includes(sentence));

test('A partial grant lists exactly the missing permissions and links to Twitch', async () => {
  for (const granted of channelScopes) {
    const { userId } = await addPerson(db, { scopes: [...viewerScopes, granted] });
    const { words, html } = await profileOf(userId);
    expect(saidOf(words, allScopes)).toEqual(allScopes.filter((word) => word !== scopes[granted]));
    expect(saidOf(words, [missingPermissions, twitch.lacking, twitch.allow])).toHaveLength(3);
    expect(saidOf(words, [broken, twitch.extendedOn, twitch.reconnect, twitch.restricted])).toEqual([]);
    expect(html).toContain(permit);
  }
});

test('A viewer who was never asked for permissions sees all of them listed and no error', async () => {
  const { userId } = await addPerson(db, { scopes: [...viewerScopes] });
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, allScopes)).toEqual(allScopes);
  expect(saidOf(words, [twitch.extendedOff, twitch.allow, twitch.connected])).toHaveLength(3);
  expect(saidOf(words, [missingPermissions, broken, twitch.extendedOn])).toEqual([]);
  expect(html).toContain(permit);
});

test('A streamer with every permission is told so and asked for none', async () => {
  const { userId } = await addPerson(db, { scopes: [...viewerScopes, ...streamerScopes] });
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, [twitch.extendedOn, twitch.connected, twitch.disconnect])).toHaveLength(3);
  expect(saidOf(words, [twitch.lacking, twitch.pointsOff, missingPermissions, broken, ...allScopes])).toEqual(
    [],
  );
  expect(html).not.toContain(permit);
});

test('A connection that Twitch no longer accepts is shown as restricted, with a way to reconnect', async () => {
  const { userId } = await addPerson(db, { scopes: [...viewerScopes, ...streamerScopes] });
  await db.transaction(async (tx) => {
    await tx.update(twitchAccounts).set({ state: 'restricted' }).where(eq(twitchAccounts.userId, userId));
  });
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, [twitch.restricted, broken, twitch.reconnect, twitch.disconnect])).toHaveLength(4);
  expect(saidOf(words, [twitch.extendedOn, twitch.lacking, ...allScopes])).toEqual([]);
  expect(html).toContain(permit);
});

test('A user without connections is offered both, and told that the trade link comes later', async () => {
  const { userId } = await addPerson(db, { steam: false });
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, userId));
  });
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, [twitch.none, steam.none, tradeLink.needsSteam])).toHaveLength(3);
  expect(saidOf(words, [twitch.disconnect, steam.disconnect, tradeLink.save])).toEqual([]);
  for (const way of ['/auth/twitch', '/steam/link']) expect(html).toContain(`href="${way}"`);
});

test('A connected Steam account shows its id, its trade link and a way to check it', async () => {
  const { userId, steamId } = await addPerson(db);
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, [steam.disconnect, tradeLink.save])).toHaveLength(2);
  expect(html).toContain(`<code>${steamId}</code>`);
  expect(html).toContain('token=tokenABC');
  expect(html).toContain('href="/profile/trade-link?fresh=1"');
});

test('An unverified new address is shown next to the current one', async () => {
  const { userId } = await addPerson(db);
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  const [email, settlement] = ['another@example.org', { userId, password: '' }];
  expect(await requestEmailChange(db, { ...settlement, email }, Date.now())).toMatchObject({ ok: true });
  const { words } = await profileOf(userId);
  expect(saidOf(words, [user?.email ?? '', email, en.profile.verified, password.none])).toHaveLength(4);
});

test('An account that Twitch does not show says so, and cannot be connected', async () => {
  const { userId } = await addPerson(db, { scopes: [...viewerScopes, ...streamerScopes] });
  await db.transaction(async (tx) => {
    const unseen = { state: 'restricted', missingSinceMs: 1 } as const;
    await tx.update(twitchAccounts).set(unseen).where(eq(twitchAccounts.userId, userId));
  });
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, [twitch.missing, missing, twitch.disconnect])).toHaveLength(3);
  expect(saidOf(words, [twitch.restricted, broken, twitch.reconnect])).toEqual([]);
  expect(html).not.toContain(permit);
});

test('A streamer who was not asked for channel points can allow them', async () => {
  const { userId } = await addPerson(db, { scopes: [...channelScopes] });
  const { words, html } = await profileOf(userId);
  expect(saidOf(words, [twitch.extendedOn, twitch.pointsOff, twitch.allowPoints])).toHaveLength(3);
  expect(html).toContain('href="/auth/twitch?permissions=points"');
});
