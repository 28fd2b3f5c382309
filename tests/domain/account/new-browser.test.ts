import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { admitBrowser } from '#domain/identity/session/admit-browser.ts';
import { deviceSubject } from '#domain/identity/session/device-subject.ts';
import { type Arrival, openSession } from '#domain/identity/session/open-session.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { join, mira, noonMs, otto, register } from './people.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const stranger: Arrival = { by: 'password', isKnownTo: () => false };

const open = (db: TestDatabase, userId: string, arrival: Arrival | undefined, nowMs = noonMs) =>
  openSession(db, { userId, userAgent: firefox, ...(arrival && { arrival }) }, nowMs);

const lettersTo = async (db: TestDatabase, recipient: string) =>
  (await db.read.select().from(mails).where(eq(mails.recipient, recipient)).orderBy(mails.createdAtMs))
    .map(({ values }) => values)
    .filter(({ change }) => change === 'newBrowser');

test('The owner is mailed of a browser that is new to the account: when, which and how', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await open(db, userId, { ...stranger, by: 'twitch' });
  expect(await lettersTo(db, mira.email)).toEqual([
    {
      name: 'Mira',
      change: 'newBrowser',
      by: 'twitch',
      browser: 'Firefox',
      system: 'Linux',
      atMs: String(noonMs),
      token: expect.any(String),
    },
  ]);
});

test('Of a browser that is known there is no mail, but there is once the password has changed', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const subject = await deviceSubject(db.read, { userId });
  const known: Arrival = { by: 'password', isKnownTo: (asked) => asked === subject };
  await open(db, userId, known);
  expect(await lettersTo(db, mira.email)).toEqual([]);
  await db.transaction((tx) => tx.update(users).set({ passwordHash: 'another' }).where(eq(users.id, userId)));
  await open(db, userId, known);
  expect(await lettersTo(db, mira.email)).toHaveLength(1);
});

test('Nor is there one where the account has just been created, or the address is not verified', async () => {
  await using db = await openTestDatabase();
  await open(db, await join(db, mira), undefined);
  const unverified = await register(db, otto);
  await open(db, unverified, stranger);
  expect([...(await lettersTo(db, mira.email)), ...(await lettersTo(db, otto.email))]).toEqual([]);
});

test('An account gets one such mail a day, and another account its own', async () => {
  await using db = await openTestDatabase();
  const [one, other] = [await join(db, mira), await join(db, otto)];
  for (const ms of [0, 1, day - 1, day]) await open(db, one, stranger, noonMs + ms);
  await open(db, other, stranger, noonMs + 1);
  expect((await lettersTo(db, mira.email)).map(({ atMs }) => Number(atMs) - noonMs)).toEqual([0, day]);
  expect(await lettersTo(db, otto.email)).toHaveLength(1);
});

test('Two new browsers at once are one mail', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await Promise.all([open(db, userId, stranger), open(db, userId, stranger)]);
  expect(await lettersTo(db, mira.email)).toHaveLength(1);
});

test('A first factor alone is not mailed where a second one is asked for', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  await db.transaction((tx) =>
    tx.update(users).set({ secondFactorAtMs: noonMs }).where(eq(users.id, userId)),
  );
  const admitted = await admitBrowser(
    db,
    { userId, userAgent: firefox, arrival: stranger, isProof: true },
    noonMs,
  );
  expect([admitted.step, await lettersTo(db, mira.email)]).toEqual(['secondFactor', []]);
});
