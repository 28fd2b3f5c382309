import { eq } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import { checkLinks } from '#bot/twitch/grants/check-links.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { mails } from '#db/schema/outbox.ts';
import { sessions, users } from '#db/schema/user.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { addTwitchPerson, clientId, clientSecret, type Stage, setStage } from './stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

const { signal } = new AbortController();

/** The rounds that check tokens, and which tokens Twitch was asked about. */
function rounds(stage: Stage) {
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl: stage.deps.config.twitch.authUrl });
  const validate = vi.fn(oauth.validate);
  const access = openTwitchAccess(stage.deps, {
    clientId,
    oauth: { ...oauth, validate },
  });
  return { round: checkLinks({ ...stage.deps, ...access, watched: async () => [] }), validate };
}

async function addSignedIn(stage: Stage, facts: { streams?: boolean; passwordHash?: string } = {}) {
  const person = await addTwitchPerson(stage, facts);
  await openSession(stage.db, { userId: person.userId, userAgent: '' }, stage.clock.now());
  const passwordHash = facts.passwordHash ?? null;
  await stage.db.transaction((tx) =>
    tx.update(users).set({ passwordHash }).where(eq(users.id, person.userId)),
  );
  return person;
}

const isSignedIn = (stage: Stage, userId: string) =>
  stage.db.read.$count(sessions, eq(sessions.userId, userId)).then((count) => count > 0);
const linkOf = async (stage: Stage, userId: string) =>
  (await getAccount(stage.db, { userId }))?.twitch?.state;

test('A viewer who disconnected us on Twitch is signed out, and others are not', async () => {
  const stage = await setStage();
  const gone = await addSignedIn(stage);
  const expired = await addSignedIn(stage);
  const withPassword = await addSignedIn(stage, { passwordHash: 'hash' });
  const suspended = await addSignedIn(stage);
  const elsewhere = await addTwitchPerson(stage);
  for (const { twitchId } of [gone, withPassword, elsewhere]) stage.world.revokeAuthorization(twitchId);
  stage.world.expireTokens(expired.twitchId);
  stage.world.suspensions.add(suspended.twitchId);
  const { round, validate } = rounds(stage);
  expect(await round(signal)).toBeGreaterThan(hour - minute);
  expect(validate).toHaveBeenCalledTimes(4);
  const after = async ({ userId }: { userId: string }) => [
    await linkOf(stage, userId),
    await isSignedIn(stage, userId),
  ];
  expect(await after(gone)).toEqual(['restricted', false]);
  expect(await after(expired)).toEqual(['connected', true]);
  expect(await after(withPassword)).toEqual(['restricted', true]);
  expect(await after(suspended)).toEqual(['restricted', true]);
  // Nobody is signed in whose token could matter.
  expect(await after(elsewhere)).toEqual(['connected', false]);
  expect(await stage.db.read.select().from(mails)).toEqual([]);
});

test('An outage of Twitch signs nobody out, and the check goes on after a minute', async () => {
  const stage = await setStage();
  const people = [await addSignedIn(stage), await addSignedIn(stage), await addSignedIn(stage)];
  const { round, validate } = rounds(stage);
  holdTime();
  stage.world.faults.failNext({ answer: 503, path: '/auth/validate', times: 2 });
  expect(await round(signal)).toBe(minute);
  expect(validate).toHaveBeenCalledTimes(2);
  passTime(minute);
  await round(signal);
  expect(validate).toHaveBeenCalledTimes(4);
  for (const { userId } of people) expect(await linkOf(stage, userId)).toBe('connected');
});

test('An outage is recognized where each round has one person to check', async () => {
  const stage = await setStage();
  const people = [];
  for (let count = 0; count < 45; count += 1) people.push(await addSignedIn(stage));
  const ids = people.map(({ twitchId }) => twitchId).sort();
  // The others are checked with their channels.
  const open = new Set(ids.filter((_, place) => place % 20 !== 0));
  const watched = (async () =>
    ids.map((id) => ({ id, hasOpenRule: open.has(id) }))) as unknown as ReadWatched;
  const validate = vi.fn(async () => {
    throw new TwitchFault('unavailable', 'no answer');
  });
  const round = checkLinks({ ...stage.deps, watched, validate });
  holdTime();
  expect(await round(signal)).toBe(2000);
  passTime(2000);
  expect(await round(signal)).toBe(minute);
  expect(validate).toHaveBeenCalledTimes(2);
});

test('A fault of one person’s token keeps nobody else from being checked', async () => {
  const stage = await setStage();
  for (let count = 0; count < 4; count += 1) await addSignedIn(stage);
  const asked: string[] = [];
  const round = checkLinks({
    ...stage.deps,
    watched: async () => [],
    async validate(twitchId) {
      asked.push(twitchId);
      if (asked.length === 2) throw new TwitchFault('unavailable', 'the token endpoint answered nonsense');
    },
  });
  expect(await round(signal)).toBeGreaterThan(hour - minute);
  expect(new Set(asked).size).toBe(4);
});

test('Tokens are checked every hour, at most ten a second, and spread over it once their number is known', async () => {
  const stage = await setStage();
  for (let count = 0; count < 45; count += 1) await addSignedIn(stage);
  // Nobody has to be asked about them.
  for (let count = 0; count < 20; count += 1) await addTwitchPerson(stage);
  const validate = vi.fn(async () => {});
  const round = checkLinks({ ...stage.deps, watched: async () => [], validate });
  holdTime();
  expect(await round(signal)).toBe(2000);
  passTime(500);
  // Something changed.
  expect(await round(signal)).toBe(1500);
  expect(validate).toHaveBeenCalledTimes(20);
  passTime(1500);
  expect(await round(signal)).toBe(2000);
  passTime(2000);
  expect(await round(signal)).toBe(hour - 4000);
  expect(validate).toHaveBeenCalledTimes(45);
  passTime(hour - 4000);
  expect(await round(signal)).toBe((50 * minute) / 3);
});
