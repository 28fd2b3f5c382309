import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import { accessRequests } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { ACCESS_REQUEST_LIFETIME_MS, ASKING_PAUSE_MS } from '#domain/identity/access/access-request.ts';
import { decideAccessRequest, findAccessRequest } from '#domain/identity/access/decide-access-request.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken, MAX_API_TOKENS } from '#domain/identity/access/issue-api-token.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { redeemDeviceCode } from '#domain/identity/access/redeem-device-code.ts';
import { type AskedAccess, requestAccess } from '#domain/identity/access/request-access.ts';
import { endOtherAccess } from '#domain/identity/session/end-session.ts';
import { day, second } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { join, mira, noonMs, otto, register } from './people.ts';

const program = 'Demo speaker';
const unknown = { ok: false, code: 'accessRequestUnknown' };

const ask = (db: TestDatabase, name = program) => requestAccess(db, { program: name }, noonMs);
const decide = (db: TestDatabase, userId: string, userCode: string, isAllowed = true, nowMs = noonMs) =>
  decideAccessRequest(db, { userId, userCode, isAllowed }, nowMs);

/** Asks what was decided, by default one pause after another. */
function asker(db: TestDatabase, { deviceCode }: AskedAccess, name = program) {
  let systemMs = 1_000;
  return async (afterMs = ASKING_PAUSE_MS, nowMs = noonMs) => {
    systemMs += afterMs;
    const answer = await redeemDeviceCode(db, { deviceCode, program: name }, { nowMs, systemMs });
    return answer.ok ? answer : answer.code;
  };
}

test('A program is answered that nobody has decided, and once allowed it gets a token under its name, once', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const asked = await ask(db);
  expect(asked.userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  const answer = asker(db, asked);
  expect(await answer()).toBe('waiting');
  const typed = ` ${asked.userCode.toLowerCase().replace('-', ' ')}`;
  expect(await findAccessRequest(db.read, { userCode: typed }, noonMs)).toEqual({
    program,
    userCode: asked.userCode,
    createdAtMs: noonMs,
  });
  expect(await decide(db, userId, typed)).toEqual({ ok: true });
  const redeemed = await answer();
  if (typeof redeemed === 'string') throw new Error(redeemed);
  expect(await findApiToken(db, redeemed, noonMs)).toMatchObject({ userId });
  expect(await answer()).toBe('unknown');
  expect((await listApiTokens(db, { userId })).map(({ name }) => name)).toEqual([program]);
});

test('Neither code is stored as it is shown', async () => {
  await using db = await openTestDatabase();
  const { deviceCode, userCode } = await ask(db);
  const stored = JSON.stringify(await db.read.select().from(accessRequests));
  for (const code of [deviceCode, userCode, userCode.replace('-', '')]) expect(stored).not.toContain(code);
});

test('A code of eight letters is found however it is typed, and nothing that carries more than a code', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { userCode } = await ask(db);
  const plain = userCode.replace('-', '');
  for (const typed of [userCode, plain, plain.toLowerCase(), ` ${userCode.replace('-', ' - ')}\n`])
    expect(await findAccessRequest(db.read, { userCode: typed }, noonMs)).toMatchObject({ userCode });
  for (const typed of [
    `${userCode} · это код вашего приза`,
    `${userCode}!`,
    `${userCode}B`,
    userCode.slice(1),
    `${plain.slice(0, 7)}ſ`,
    '',
  ]) {
    expect(await findAccessRequest(db.read, { userCode: typed }, noonMs)).toBeNull();
    expect(await decide(db, userId, typed)).toEqual(unknown);
  }
});

/** Has these places in the alphabet drawn next, and random ones after them. */
function draw(places: number[]): void {
  const real = crypto.randomInt;
  const drawn = vi
    .spyOn(crypto, 'randomInt')
    .mockImplementation((max: number) => places.shift() ?? real(max));
  syncBuiltinESMExports();
  onTestFinished(() => {
    drawn.mockRestore();
    syncBuiltinESMExports();
  });
}

test('A short code that is taken is drawn again, but not for ever', async () => {
  await using db = await openTestDatabase();
  const letters = (...places: number[]) => places.flatMap((place) => Array.from({ length: 8 }, () => place));
  draw([...letters(0, 0, 0, 19), ...letters(0, 0, 0)]);
  expect((await ask(db)).userCode).toBe('BBBB-BBBB');
  expect((await ask(db)).userCode).toBe('ZZZZ-ZZZZ');
  await expect(ask(db)).rejects.toThrow('no unused code');
});

test('A program that asks too soon has to leave longer pauses from then on, each time', async () => {
  await using db = await openTestDatabase();
  const answer = asker(db, await ask(db));
  const [before, onItsWay] = [second + 1, second];
  expect(await answer()).toBe('waiting');
  expect(await answer(ASKING_PAUSE_MS - onItsWay)).toBe('waiting');
  expect(await answer(ASKING_PAUSE_MS - before)).toBe('tooSoon');
  expect(await answer(2 * ASKING_PAUSE_MS - before)).toBe('tooSoon');
  expect(await answer(3 * ASKING_PAUSE_MS)).toBe('waiting');
  expect(await answer(3 * ASKING_PAUSE_MS - before)).toBe('tooSoon');
  // The machine's clock was set back: nobody is to wait until it is there again.
  expect(await answer(-60 * second)).toBe('waiting');
});

test('What is refused stays refused, and gives no token', async () => {
  await using db = await openTestDatabase();
  const [userId, other] = [await join(db, mira), await join(db, otto)];
  const asked = await ask(db);
  const answer = asker(db, asked);
  expect(await decide(db, userId, asked.userCode, false)).toEqual({ ok: true });
  // Repeating an answer is no error; another one, or somebody else's, is.
  expect(await decide(db, userId, asked.userCode, false)).toEqual({ ok: true });
  expect(await decide(db, userId, asked.userCode)).toEqual(unknown);
  expect(await decide(db, other, asked.userCode)).toEqual(unknown);
  expect([await answer(), await answer()]).toEqual(['refused', 'refused']);
});

test('An allowed program belongs to the account that allowed it, also if that arrives twice', async () => {
  await using db = await openTestDatabase();
  const [userId, other] = [await join(db, mira), await join(db, otto)];
  const asked = await ask(db);
  const both = await Promise.all([userId, other].map((id) => decide(db, id, asked.userCode)));
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  const winner = both[0]?.ok ? userId : other;
  expect(await decide(db, winner, asked.userCode)).toEqual({ ok: true });
  expect(await asker(db, asked)()).toMatchObject({ userId: winner });
  expect(await decide(db, winner, asked.userCode)).toEqual({ ok: true });
});

test('Of two questions at once, one gets a token', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { deviceCode, userCode } = await ask(db);
  await decide(db, userId, userCode);
  const times = { nowMs: noonMs, systemMs: 0 };
  const both = await Promise.all([1, 2].map(() => redeemDeviceCode(db, { deviceCode, program }, times)));
  expect(both.filter(({ ok }) => ok)).toHaveLength(1);
  expect(await listApiTokens(db, { userId })).toHaveLength(1);
});

test('After ten minutes a code is expired, allowed or not', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const [early, late] = [await ask(db), await ask(db, 'Another')];
  const endMs = noonMs + ACCESS_REQUEST_LIFETIME_MS;
  expect(await decide(db, userId, early.userCode, true, endMs - 1)).toEqual({ ok: true });
  expect(await findAccessRequest(db.read, late, endMs)).toBeNull();
  expect(await decide(db, userId, late.userCode, true, endMs)).toEqual(unknown);
  expect(await asker(db, early)(0, endMs)).toBe('expired');
  expect(await asker(db, early)(0, endMs - 1)).toMatchObject({ ok: true });
  expect(await asker(db, late, 'Another')(0, endMs)).toBe('expired');
  await pruneAccess(db, endMs + day, endMs + day);
  expect(await asker(db, late, 'Another')(0, endMs)).toBe('expired');
  await pruneAccess(db, endMs + day + 1, endMs + day + 1);
  expect(await asker(db, late, 'Another')(0, endMs)).toBe('unknown');
});

test('A device code counts for its own program only, and a forged one not at all', async () => {
  await using db = await openTestDatabase();
  const asked = await ask(db);
  expect(await asker(db, asked, 'Another')()).toBe('unknown');
  expect(await asker(db, { ...asked, deviceCode: asked.userCode })()).toBe('unknown');
  expect(await asker(db, asked)()).toBe('waiting');
});

test('Only a verified account with room for a token can allow; without either by the end it has refused', async () => {
  await using db = await openTestDatabase();
  const [userId, newcomer] = [await join(db, mira), await register(db, otto, noonMs)];
  const [asked, next] = [await ask(db), await ask(db)];
  expect(await decide(db, newcomer, asked.userCode)).toEqual({ ok: false, code: 'unverified' });
  expect(await decide(db, userId, asked.userCode)).toEqual({ ok: true });
  for (let number = 0; number < MAX_API_TOKENS; number++)
    await issueApiToken(db, { userId, name: `Program ${number}` }, noonMs);
  expect(await decide(db, userId, next.userCode)).toEqual({ ok: false, code: 'tooManyTokens' });
  expect(await decide(db, userId, next.userCode, false)).toEqual({ ok: true });
  expect(await asker(db, asked)()).toBe('refused');
});

test('What ends all other access ends a program that was allowed and has no token yet', async () => {
  await using db = await openTestDatabase();
  const [userId, other] = [await join(db, mira), await join(db, otto)];
  const [mine, theirs] = [await ask(db), await ask(db)];
  await decide(db, userId, mine.userCode);
  await decide(db, other, theirs.userCode);
  await db.transaction((tx) => endOtherAccess(tx, { userId, currentToken: null }));
  expect(await asker(db, mine)()).toBe('unknown');
  expect(await asker(db, theirs)()).toMatchObject({ ok: true, userId: other });
  expect(await db.read.$count(users)).toBe(2);
});
