import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, watchTimes } from '#db/schema/channel.ts';
import { events } from '#db/schema/outbox.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { registerByTwitch, signInByTwitch } from '#domain/account/twitch/enter-by-twitch.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { markTwitchRestricted } from '#domain/account/twitch/mark-twitch-restricted.ts';
import { recordMissingAccount } from '#domain/account/twitch/record-missing-account.ts';
import { sealGrant } from '#domain/account/twitch/twitch-grant.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import {
  join,
  mailedTokens,
  mira,
  miraOnTwitch,
  noonMs,
  otto,
  ottoOnTwitch,
  register,
  streamerGrant,
  vault,
  viewerGrant,
} from './people.ts';

/** Otto streams, with a rule on an hour of watch time. */
async function ottoWithARule(db: Database) {
  const ownerId = await join(db, otto);
  const link = { vault, userId: ownerId, person: ottoOnTwitch, grant: streamerGrant };
  await linkTwitch(db, link, noonMs);
  await linkSteam(db, { userId: ownerId, steamId: '76561197960266729' }, noonMs);
  const draft = {
    name: 'An hour together',
    type: 'one',
    ...nothingAsked,
    watchMinutes: 60,
    watchScope: 'allTime',
    claimTimeoutHours: 72,
  } as const;
  const outcome = await createRule(db, { requestId: newId(noonMs), userId: ownerId, draft }, noonMs);
  if (!outcome.ok) throw new Error(outcome.code);
  return { ownerId, link };
}

const stateOf = async (db: Database) => {
  const [rule] = await db.read.select().from(rules);
  return [rule?.state, rule?.pauseReason];
};

/** Mira watched Otto for two hours before she registered. */
async function miraWatched(db: Database) {
  await db.transaction(async (tx) => {
    await tx.insert(watchTimes).values({
      channelId: ottoOnTwitch.twitchId,
      twitchId: '4001',
      seconds: 7200,
      nextCheckSeconds: 9_000_000,
    });
  });
}

/** Data from when linking Twitch did not need a verified address. */
async function linkAsBefore(db: Database, userId: string) {
  await db.transaction(async (tx) => {
    const { twitchId, login, displayName } = miraOnTwitch;
    const grant = sealGrant(vault, viewerGrant, `twitch:${twitchId}`);
    await tx
      .insert(twitchAccounts)
      .values({ twitchId, userId, login, displayName, ...grant, linkedAtMs: noonMs });
  });
}

const waiting = async (db: Database) =>
  (await db.read.select().from(qualifications)).map((each) => each.twitchId);

test('An invalid grant pauses the rules, and reconnecting with every permission resumes them', async () => {
  await using db = await openTestDatabase();
  const { link, ownerId } = await ottoWithARule(db);
  const dead = { twitchId: '4002', obtainedAtMs: streamerGrant.obtainedAtMs };
  await markTwitchRestricted(db, dead, noonMs + 1);
  expect(await stateOf(db)).toEqual(['paused', 'lostPermission']);
  const announced = await db.read
    .select()
    .from(events)
    .where(eq(events.atMs, noonMs + 1));
  expect(announced).toContainEqual(
    expect.objectContaining({ kind: 'account.changed', userId: ownerId, subjectId: '4002' }),
  );
  await linkTwitch(db, { ...link, grant: viewerGrant }, noonMs + 2);
  expect(await stateOf(db)).toEqual(['paused', 'lostPermission']);
  await linkTwitch(db, link, noonMs + 3);
  expect(await stateOf(db)).toEqual(['open', null]);
});

test('Signing in does not hide that a streamer’s grant died, nor forget what it allowed', async () => {
  await using db = await openTestDatabase();
  const { link } = await ottoWithARule(db);
  const find = async () => (await db.read.select().from(twitchAccounts))[0];
  await markTwitchRestricted(db, { twitchId: '4002', obtainedAtMs: streamerGrant.obtainedAtMs }, noonMs + 1);
  const asViewer = { vault, person: { ...ottoOnTwitch, login: 'otto_new' }, grant: viewerGrant };
  expect(await signInByTwitch(db, asViewer, noonMs + 2)).toMatchObject({ ok: true });
  expect(await find()).toMatchObject({
    state: 'restricted',
    login: 'otto_new',
    scopes: streamerGrant.scopes,
  });
  // Scopes that no rule needs any more keep nobody from connecting.
  await db.transaction((tx) =>
    tx.update(twitchAccounts).set({ scopes: ['channel:read:redemptions', ...streamerScopes] }),
  );
  await linkTwitch(db, link, noonMs + 3);
  expect(await find()).toMatchObject({ state: 'connected', scopes: streamerGrant.scopes });
});

test('A former streamer without rules can go on as a viewer', async () => {
  await using db = await openTestDatabase();
  const { ownerId, link } = await ottoWithARule(db);
  const [rule] = await db.read.select().from(rules);
  await closeRule(db, { ruleId: rule?.id ?? '', userId: ownerId }, noonMs + 1);
  await markTwitchRestricted(db, { twitchId: '4002', obtainedAtMs: streamerGrant.obtainedAtMs }, noonMs + 2);
  await signInByTwitch(db, { ...link, grant: viewerGrant }, noonMs + 3);
  const [account] = await db.read.select().from(twitchAccounts);
  expect(account).toMatchObject({ state: 'connected', scopes: viewerGrant.scopes });
});

test('Rules of a missing channel wait for a connection once it is disconnected', async () => {
  await using db = await openTestDatabase();
  const { ownerId, link } = await ottoWithARule(db);
  await recordMissingAccount(db, ottoOnTwitch, noonMs + 1);
  expect(await stateOf(db)).toEqual(['paused', 'channelMissing']);
  await unlinkTwitch(db, { vault, userId: ownerId }, noonMs + 2);
  expect(await stateOf(db)).toEqual(['paused', 'lostPermission']);
  await linkTwitch(db, link, noonMs + 3);
  expect(await stateOf(db)).toEqual(['open', null]);
});

test('Unlinking Twitch pauses the streamer’s rules', async () => {
  await using db = await openTestDatabase();
  const { ownerId } = await ottoWithARule(db);
  await unlinkTwitch(db, { vault, userId: ownerId }, noonMs + 1);
  expect(await stateOf(db)).toEqual(['paused', 'lostPermission']);
  expect(await db.read.select().from(channels)).toMatchObject([{ displayName: 'Otto_Live' }]);
});

test('Earlier watch time counts once Twitch is linked', async () => {
  await using db = await openTestDatabase();
  await ottoWithARule(db);
  await miraWatched(db);
  const userId = await join(db, mira);
  expect(await waiting(db)).toEqual([]);
  await linkTwitch(db, { vault, userId, person: miraOnTwitch, grant: viewerGrant }, noonMs + 1);
  expect(await waiting(db)).toEqual(['4001']);
});

test('For a Twitch account linked before verification was required, earlier watch time counts once it is verified', async () => {
  await using db = await openTestDatabase();
  await ottoWithARule(db);
  const userId = await register(db, mira);
  await linkAsBefore(db, userId);
  await miraWatched(db);
  expect(await waiting(db)).toEqual([]);
  const [token = ''] = await mailedTokens(db, mira.email);
  await verifyEmail(db, { token }, noonMs + 2);
  expect(await waiting(db)).toEqual(['4001']);
});

test('Earlier watch time counts at once for a user who signs up with Twitch', async () => {
  await using db = await openTestDatabase();
  await ottoWithARule(db);
  await miraWatched(db);
  await registerByTwitch(db, { vault, person: miraOnTwitch, grant: viewerGrant, locale: 'en' }, noonMs + 1);
  expect(await waiting(db)).toEqual(['4001']);
});
