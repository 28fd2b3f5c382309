import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { signOutElsewhere } from '#domain/identity/session/end-session.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { mira, noonMs, otto, register } from './people.ts';

test('Preferences are stored one by one, and an account starts with mail on and the system’s theme', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  expect(await getAccount(db, { userId })).toMatchObject({
    locale: 'en',
    theme: 'system',
    notifyByMail: true,
  });
  await setPreferences(db, { userId, preferences: { theme: 'dark' } });
  await setPreferences(db, { userId, preferences: { locale: 'ru' } });
  await setPreferences(db, { userId, preferences: { notifyByMail: false } });
  await setPreferences(db, { userId, preferences: {} });
  expect(await getAccount(db, { userId })).toMatchObject({
    locale: 'ru',
    theme: 'dark',
    notifyByMail: false,
  });
});

test('A user without mail gets promises like anybody else, but no mail about them', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  const [silent, eager] = [await addPerson(db), await addPerson(db)];
  await setPreferences(db, { userId: silent.userId, preferences: { notifyByMail: false } });
  const ruleId = await addRule(db, streamer, { watchMinutes: 1, rewards: 2 });
  const channelId = streamer.twitchId;
  const stream = { streamId: 's1', startedAtMs: START_MS, gameName: 'Demo game', title: 'Demo' };
  await recordStream(db, { channelId, stream }, START_MS);
  const twitchIds = new Set([silent.twitchId, eager.twitchId]);
  await accrueWatchTime(db, { channelId, streamId: 's1', twitchIds }, START_MS + minute);
  const promised = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  expect(promised.map(({ userId }) => userId).sort()).toEqual([silent.userId, eager.userId].sort());
  const sent = await db.read.select().from(mails).where(eq(mails.template, 'rewardPromised'));
  expect(sent.map(({ recipient }) => recipient)).toEqual([
    (await getAccount(db, { userId: eager.userId }))?.email,
  ]);
});

test('The list of sessions names each browser, this one first', async () => {
  await using db = await openTestDatabase();
  const userId = await register(db, mira);
  const desk = await openSession(db, { userId, userAgent: 'desk' }, noonMs);
  await openSession(db, { userId, userAgent: 'phone' }, noonMs + 1);
  await openSession(db, { userId: await register(db, otto), userAgent: 'other' }, noonMs);
  const listed = await listSessions(db, { userId, currentToken: desk.token }, noonMs + 2);
  expect(listed.map(({ id: _, ...rest }) => rest)).toEqual([
    { userAgent: 'desk', createdAtMs: noonMs, lastSeenAtMs: noonMs, current: true },
    { userAgent: 'phone', createdAtMs: noonMs + 1, lastSeenAtMs: noonMs + 1, current: false },
  ]);
  expect(JSON.stringify(listed)).not.toContain(desk.token);
  expect(await listSessions(db, { userId, currentToken: desk.token }, noonMs + 31 * day)).toEqual([]);
});

test('Signing out others ends one browser or all of them, but never the current one or another user’s', async () => {
  await using db = await openTestDatabase();
  const [userId, strangerId] = [await register(db, mira), await register(db, otto)];
  const open = (id: string, userAgent: string) => openSession(db, { userId: id, userAgent }, noonMs);
  const here = await open(userId, 'desk');
  const [phone, tablet] = [await open(userId, 'phone'), await open(userId, 'tablet')];
  const stranger = await open(strangerId, 'other');
  const isLive = async ({ token }: { token: string }) => (await findSession(db, { token }, noonMs)) !== null;
  const idOf = async (owner: string, userAgent: string) => {
    const listed = await listSessions(db, { userId: owner, currentToken: null }, noonMs);
    return listed.find((each) => each.userAgent === userAgent)?.id ?? '';
  };
  const end = (sessionId?: string) =>
    signOutElsewhere(db, { userId, currentToken: here.token, ...(sessionId !== undefined && { sessionId }) });

  const unknown = { ok: false, code: 'sessionUnknown' };
  expect(await end(await idOf(strangerId, 'other'))).toEqual(unknown);
  expect(await end(await idOf(userId, 'desk'))).toEqual(unknown);
  expect(await end(await idOf(userId, 'phone'))).toEqual({ ok: true, ended: 1 });
  expect([await isLive(phone), await isLive(tablet)]).toEqual([false, true]);
  expect(await end()).toEqual({ ok: true, ended: 1 });
  expect(await end()).toEqual({ ok: true, ended: 0 });
  expect([await isLive(here), await isLive(tablet), await isLive(stranger)]).toEqual([true, false, true]);
});
