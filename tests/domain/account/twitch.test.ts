import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { chatAccounts, twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { pushDevices } from '#db/schema/push.ts';
import { users } from '#db/schema/user.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { registerByTwitch, signInByTwitch } from '#domain/account/twitch/enter-by-twitch.ts';
import { findTwitchGrant } from '#domain/account/twitch/find-twitch-grant.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { markTwitchRestricted } from '#domain/account/twitch/mark-twitch-restricted.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { listExcluded } from '#domain/channel/list-excluded.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { channelScopes, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { hour } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer } from '#tests/support/fixtures.ts';
import { turnOnFor } from '#tests/support/push-subscription.ts';
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

const asViewer = { vault, person: miraOnTwitch, grant: viewerGrant };
const asStreamer = { vault, person: miraOnTwitch, grant: streamerGrant };
const refused = (code: string) => ({ ok: false, code });

test('A new Twitch user gets an account with a verified address', async () => {
  await using db = await openTestDatabase();
  const outcome = await registerByTwitch(db, { ...asViewer, locale: 'ru' }, noonMs);
  if (!outcome.ok) throw new Error(outcome.code);
  expect(await getAccount(db, outcome)).toMatchObject({
    name: 'Mira_Plays',
    email: 'mira@example.org',
    verified: true,
    hasPassword: false,
    locale: 'ru',
    twitch: { id: '4001', login: 'mira_plays', state: 'connected', streamingFeaturesEnabled: false },
  });
  expect(await signInByTwitch(db, asViewer, noonMs + 1)).toEqual(outcome);
});

test('A new channel announces rewards in chat, and one that is linked again keeps its choice', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkTwitch(db, { userId, ...asStreamer }, noonMs);
  const announces = async () => (await getChatSettings(db.read, miraOnTwitch.twitchId))?.announcesPromises;
  expect(await announces()).toBe(true);
  const settings = { chatLocale: null, announcesPromises: false };
  await setChatSettings(db, { userId, settings }, noonMs);
  await linkTwitch(db, { userId, ...asStreamer }, noonMs + hour);
  expect(await announces()).toBe(false);
});

test('An account found by a Twitch address is never linked automatically', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const shouting = { ...asViewer, person: { ...miraOnTwitch, email: 'MIRA@example.org' } };
  expect(await signInByTwitch(db, shouting, noonMs)).toEqual(refused('twitchUnknown'));
  expect(await registerByTwitch(db, { ...shouting, locale: 'en' }, noonMs)).toEqual(refused('emailTaken'));
  expect((await getAccount(db, { userId }))?.twitch).toBeNull();
});

test('Whoever squats an address without verifying it does not keep its owner out', async () => {
  await using db = await openTestDatabase();
  const squatterId = await register(db, { ...mira, email: 'MIRA@example.org' });
  const { token } = await openSession(db, { userId: squatterId, userAgent: '' }, noonMs);
  const [verification] = await mailedTokens(db, 'mira@example.org');
  expect(verification).toBeTruthy();
  const outcome = await registerByTwitch(db, { ...asViewer, locale: 'en' }, noonMs + 1);
  if (!outcome.ok) throw new Error(outcome.code);
  expect(await getAccount(db, outcome)).toMatchObject({ email: 'mira@example.org', hasPassword: false });
  // Nothing of the squatter leads in: neither the session, nor the link, nor the password.
  expect(await findSession(db, { token }, noonMs + 2)).toBeNull();
  expect(await verifyEmail(db, { token: verification ?? '' }, noonMs + 2)).toMatchObject({ ok: false });
  const [squatter] = await db.read.select().from(users).where(eq(users.id, squatterId));
  expect(squatter).toMatchObject({ passwordHash: null, deletedAtMs: noonMs + 1 });
});

test('An unverified account that has something is not discarded', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  await db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ email: 'mira@example.org', emailVerifiedAtMs: null })
      .where(eq(users.id, streamer.userId));
  });
  expect(await registerByTwitch(db, { ...asViewer, locale: 'en' }, noonMs)).toEqual(refused('emailTaken'));
  const [owner] = await db.read.select().from(users).where(eq(users.id, streamer.userId));
  expect(owner).toMatchObject({ email: 'mira@example.org', deletedAtMs: null });
});

test('Without an address verified by Twitch nobody is registered', async () => {
  await using db = await openTestDatabase();
  const person = { ...miraOnTwitch, email: null };
  expect(await registerByTwitch(db, { ...asViewer, person, locale: 'en' }, noonMs)).toEqual(
    refused('twitchEmailMissing'),
  );
});

test('Two concurrent answers for one new Twitch user create one account', async () => {
  await using db = await openTestDatabase();
  const input = { ...asViewer, locale: 'en' } as const;
  const outcomes = await Promise.all([1, 2, 3].map(() => registerByTwitch(db, input, noonMs)));
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
  expect(outcomes).toContainEqual(refused('twitchLinkedElsewhere'));
  expect(await db.read.select().from(users)).toHaveLength(1);
});

test('A renamed Twitch user is the same user', async () => {
  await using db = await openTestDatabase();
  const outcome = await registerByTwitch(db, { ...asViewer, locale: 'en' }, noonMs);
  const person = { ...miraOnTwitch, login: 'mira_new', displayName: 'Mira_New', email: 'other@example.org' };
  expect(await signInByTwitch(db, { ...asViewer, person }, noonMs + 1)).toEqual(outcome);
  const [account] = await db.read.select().from(twitchAccounts);
  const [channel] = await db.read.select().from(channels);
  expect(account).toMatchObject({ login: 'mira_new', displayName: 'Mira_New' });
  expect(channel).toMatchObject({ id: '4001', login: 'mira_new', displayName: 'Mira_New' });
});

test('A Twitch account belongs to one user, and a user has one Twitch account', async () => {
  await using db = await openTestDatabase();
  const miraId = await join(db, mira);
  const ottoId = await join(db, otto);
  expect(await linkTwitch(db, { ...asViewer, userId: miraId }, noonMs)).toEqual({ ok: true });
  expect(await linkTwitch(db, { ...asViewer, userId: miraId }, noonMs)).toEqual({ ok: true });
  expect(await linkTwitch(db, { ...asViewer, userId: ottoId }, noonMs)).toEqual(
    refused('twitchLinkedElsewhere'),
  );
  expect(await linkTwitch(db, { ...asViewer, person: ottoOnTwitch, userId: miraId }, noonMs)).toEqual(
    refused('otherTwitchLinked'),
  );
  expect(await db.read.select().from(twitchAccounts)).toHaveLength(1);
});

test('Of two users linking one Twitch account at once, one gets it', async () => {
  await using db = await openTestDatabase();
  const ids = [await join(db, mira), await join(db, otto)];
  const outcomes = await Promise.all(ids.map((userId) => linkTwitch(db, { ...asViewer, userId }, noonMs)));
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
});

test('Linking adds the channel and keeps what the tracker knows of it', async () => {
  await using db = await openTestDatabase();
  await db.transaction(async (tx) => {
    await tx
      .insert(channels)
      .values({ id: '4001', login: 'old', displayName: 'Old', live: true, streamId: '9', lastSeenAtMs: 5 });
  });
  await linkTwitch(db, { ...asViewer, userId: await join(db, mira) }, noonMs);
  const [channel] = await db.read.select().from(channels);
  expect(channel).toMatchObject({ login: 'mira_plays', live: true, streamId: '9', lastSeenAtMs: 5 });
});

test('Streaming is enabled by exactly the permissions that tracking needs', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  for (const missing of channelScopes) {
    const grant = { ...streamerGrant, scopes: streamerScopes.filter((scope) => scope !== missing) };
    await linkTwitch(db, { ...asStreamer, grant, userId }, noonMs);
    const account = await getAccount(db, { userId });
    expect(account?.twitch).toMatchObject({ streamingFeaturesEnabled: false, missingScopes: [missing] });
    await unlinkTwitch(db, { vault, userId }, noonMs);
  }
  await linkTwitch(db, { ...asStreamer, userId }, noonMs);
  expect((await getAccount(db, { userId }))?.twitch?.streamingFeaturesEnabled).toBe(true);
});

test('Signing in keeps the permissions that a streamer granted', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkTwitch(db, { ...asStreamer, userId }, noonMs);
  await signInByTwitch(db, asViewer, noonMs + 5);
  expect(await findTwitchGrant(db, { vault, twitchId: '4001' })).toEqual(streamerGrant);
});

test('Tokens are sealed for their account and cannot be opened elsewhere', async () => {
  await using db = await openTestDatabase();
  await linkTwitch(db, { ...asStreamer, userId: await join(db, mira) }, noonMs);
  const [row] = await db.read.select().from(twitchAccounts);
  expect(JSON.stringify(row)).not.toContain('access-streamer');
  expect(() => vault.open(row?.accessTokenSealed ?? '', 'twitch:4002')).toThrow();
});

test('Refreshed tokens replace only the grant they came from', async () => {
  await using db = await openTestDatabase();
  await linkTwitch(db, { ...asStreamer, userId: await join(db, mira) }, noonMs);
  const update = { vault, twitchId: '4001', replacesObtainedAtMs: streamerGrant.obtainedAtMs };
  const fresh = { ...streamerGrant, accessToken: 'access-2', obtainedAtMs: noonMs + 99 };
  expect(await updateTwitchTokens(db, { ...update, grant: fresh })).toEqual({ ok: true });
  expect(await updateTwitchTokens(db, { ...update, grant: { ...fresh, accessToken: 'access-3' } })).toEqual(
    refused('twitchGrantReplaced'),
  );
  expect((await findTwitchGrant(db, { vault, twitchId: '4001' }))?.accessToken).toBe('access-2');
});

test('An invalid grant restricts the account until its owner reconnects', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkTwitch(db, { ...asStreamer, userId }, noonMs);
  const dead = { twitchId: '4001', obtainedAtMs: streamerGrant.obtainedAtMs };
  expect(await markTwitchRestricted(db, dead, noonMs + 10)).toEqual({ ok: true });
  expect((await getAccount(db, { userId }))?.twitch).toMatchObject({
    state: 'restricted',
    streamingFeaturesEnabled: false,
  });
  expect(await findTwitchGrant(db, { vault, twitchId: '4001' })).toBeNull();
  const grant = { ...streamerGrant, obtainedAtMs: noonMs + 20 };
  await linkTwitch(db, { ...asStreamer, grant, userId }, noonMs + 20);
  expect(await markTwitchRestricted(db, dead, noonMs + 30)).toEqual(refused('twitchGrantReplaced'));
  expect((await getAccount(db, { userId }))?.twitch?.streamingFeaturesEnabled).toBe(true);
});

test('A streamer who signed in since the last check is not signed out for an older grant', async () => {
  await using db = await openTestDatabase();
  const outcome = await registerByTwitch(db, { ...asStreamer, locale: 'en' }, noonMs);
  if (!outcome.ok) throw new Error(outcome.code);
  const { userId } = outcome;
  const old = await openSession(db, { userId, userAgent: '' }, noonMs);
  const young = await openSession(db, { userId, userAgent: '' }, noonMs + 1);
  const dead = { twitchId: '4001', obtainedAtMs: streamerGrant.obtainedAtMs, hasEnded: true };
  for (const { token } of [old, young]) await turnOnFor(db, { userId, sessionHash: hashOf(token) }, noonMs);
  await markTwitchRestricted(db, dead, noonMs + hour);
  expect(await findSession(db, { token: old.token }, noonMs + hour)).toBeNull();
  expect(await findSession(db, { token: young.token }, noonMs + hour)).not.toBeNull();
  // Notices of a browser end with its session.
  expect(await db.read.select().from(pushDevices)).toMatchObject([{ sessionHash: hashOf(young.token) }]);
});

test('The owner of an invalid grant gets one mail, in their language, with the number of paused rules', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0 });
  await db.transaction(async (tx) => {
    await tx.update(users).set({ locale: 'ru' }).where(eq(users.id, streamer.userId));
  });
  const { tokenObtainedAtMs: obtainedAtMs } = (await db.read.select().from(twitchAccounts))[0]!;
  const dead = { twitchId: streamer.twitchId, obtainedAtMs };
  await markTwitchRestricted(db, dead, noonMs);
  await markTwitchRestricted(db, dead, noonMs + 1);
  const sent = await db.read.select().from(mails);
  expect(sent).toMatchObject([{ template: 'twitchRestricted', locale: 'ru', values: { rules: '1' } }]);
});

test('A streamer who reconnects Twitch finds the channel’s settings unchanged', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await linkTwitch(db, { ...asStreamer, userId }, noonMs);
  await setExcludedLogins(db, { userId, logins: ['some_bot'] });
  await unlinkTwitch(db, { vault, userId }, noonMs);
  await linkTwitch(db, { ...asStreamer, userId }, noonMs);
  expect(await listExcluded(db.read, '4001')).toMatchObject([{ login: 'some_bot' }]);
});

test('Unlinking frees the Twitch account for others and returns the token to revoke', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const ottoId = await join(db, otto);
  await linkTwitch(db, { ...asStreamer, userId }, noonMs);
  expect(await unlinkTwitch(db, { vault, userId }, noonMs)).toEqual({
    ok: true,
    accessToken: 'access-streamer',
  });
  expect(await unlinkTwitch(db, { vault, userId }, noonMs)).toEqual(refused('twitchNotLinked'));
  expect(await db.read.select().from(channels)).toEqual([]);
  const letters = (await db.read.select().from(mails)).map(({ values }) => values.change);
  expect(letters.filter((change) => change === 'twitchUnlinked')).toHaveLength(1);
  expect(await linkTwitch(db, { ...asViewer, userId: ottoId }, noonMs)).toEqual({ ok: true });
});

test('A user without a password cannot disconnect Twitch, the only way to sign in', async () => {
  await using db = await openTestDatabase();
  const outcome = await registerByTwitch(db, { ...asViewer, locale: 'en' }, noonMs);
  if (!outcome.ok) throw new Error(outcome.code);
  expect(await unlinkTwitch(db, { vault, userId: outcome.userId }, noonMs)).toEqual(
    refused('passwordMissing'),
  );
});

test('The chat account is stored sealed and can be reconnected', async () => {
  await using db = await openTestDatabase();
  const account = { vault, twitchId: '77', login: 'keepsake_bot', grant: viewerGrant };
  await connectChatAccount(db, account);
  await connectChatAccount(db, { ...account, grant: { ...viewerGrant, accessToken: 'access-2' } });
  const rows = await db.read.select().from(chatAccounts);
  expect(rows).toHaveLength(1);
  expect(vault.open(rows[0]?.accessTokenSealed ?? '', 'chat:77')).toBe('access-2');
});
