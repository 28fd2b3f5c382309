import '../api/support/web.ts';
import { eq } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { admitCaller } from '#app/api/limits.server.ts';
import { action as forgotAction } from '#app/routes/auth/forgot-password.tsx';
import { action as resetAction } from '#app/routes/auth/reset-password.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as contactAction } from '#app/routes/contact/contact.tsx';
import { action as userCodeAction } from '#app/routes/device/device.tsx';
import { action as accessAction } from '#app/routes/device/device-authorization.ts';
import { deviceGrant } from '#app/routes/device/device-grant.ts';
import { action as tokenAction } from '#app/routes/device/token.ts';
import { action as resendAction } from '#app/routes/email/unverified.tsx';
import { action as codeAction } from '#app/routes/extension/code.tsx';
import { database } from '#app/services/database.server.ts';
import { countPassword } from '#app/services/limits/password-limits.server.ts';
import { clearLimit, here, returnOne, waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { users } from '#db/schema/user.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { extensionCodeOf } from '#tests/domain/account/people.ts';
import { addPerson, nextNumber } from '#tests/support/fixtures.ts';
import { App } from '../api/support/app.ts';
import { mailedTokens } from '../api/support/assets.ts';
import { signIn } from '../api/support/people.ts';
import { visitorOf } from '../support/signed-in.ts';
import { Visitor } from '../support/visitor.ts';

afterEach(() => vi.useRealTimers());

interface Account {
  userId: string;
  email: string;
}
interface From {
  address: string;
  account: Account;
}
/** This many attempts in this time. */
type Limit = [max: number, windowMs: number];
type Attempt = (from: From) => Promise<{ status: number; headers: Headers }>;

const api = '/api/v1';
const wrong = 'not my password';
const letter = { name: 'Demo person', message: 'Where is my item?' };
const fresh = { token: 'a guess', password: 'another sentence', password_confirmation: 'another sentence' };

/** The acts that are limited by account and by IP address, on pages and in the API. */
const acts: [string, { byAddress: Limit; byAccount: Limit | null }, Attempt][] = [
  [
    'Signing in on the page',
    { byAddress: [60, 15 * minute], byAccount: null },
    ({ address, account: { email } }) =>
      new Visitor(address).call(signInAction, '/auth/signin', { form: { email, password: wrong } }),
  ],
  [
    'Signing in by the API',
    { byAddress: [60, 15 * minute], byAccount: null },
    ({ address, account: { email } }) =>
      new App(address).post(`${api}/login`, { json: { email, password: wrong } }),
  ],
  [
    'Asking for a reset on the page',
    { byAddress: [30, hour], byAccount: [5, hour] },
    ({ address, account: { email } }) =>
      new Visitor(address).call(forgotAction, '/auth/forgot-password', { form: { email } }),
  ],
  [
    'Asking for a reset by the API',
    { byAddress: [30, hour], byAccount: [5, hour] },
    ({ address, account: { email } }) => new App(address).post(`${api}/forgot-password`, { json: { email } }),
  ],
  [
    'Setting a new password on the page',
    { byAddress: [30, hour], byAccount: null },
    ({ address, account: { email } }) =>
      new Visitor(address).call(resetAction, '/auth/reset-password', { form: { email, ...fresh } }),
  ],
  [
    'Setting a new password by the API',
    { byAddress: [30, hour], byAccount: null },
    ({ address, account: { email } }) =>
      new App(address).post(`${api}/reset-password`, { json: { email, ...fresh } }),
  ],
  [
    'Asking for one more verification mail on the page',
    { byAddress: [30, hour], byAccount: [5, 10 * minute] },
    async ({ address, account }) =>
      (await visitorOf(account.userId, address)).call(resendAction, '/email/unverified', { form: {} }),
  ],
  [
    'Asking for one more verification mail by the API',
    { byAddress: [30, hour], byAccount: [5, 10 * minute] },
    async ({ address, account }) =>
      (await signIn(account, address)).post(`${api}/email/verification-notification`),
  ],
  [
    'Writing to the operator on the page',
    { byAddress: [15, hour], byAccount: [5, hour] },
    async ({ address, account }) =>
      (await visitorOf(await verified(account), address)).call(contactAction, '/contact_us', {
        form: { ...letter, email: account.email },
      }),
  ],
  [
    'Writing to the operator by the API',
    { byAddress: [15, hour], byAccount: [5, hour] },
    async ({ address, account }) =>
      (await signIn({ userId: await verified(account) }, address)).post(`${api}/contact`, {
        json: { ...letter, email: account.email },
      }),
  ],
  [
    'Asking for a code for the companion app',
    { byAddress: [30, 10 * minute], byAccount: [10, 10 * minute] },
    async ({ address, account }) =>
      (await visitorOf(await verified(account), address)).call(codeAction, '/extension/code', { form: {} }),
  ],
  [
    'Trading in a code of the companion app',
    { byAddress: [60, 15 * minute], byAccount: null },
    ({ address }) => new App(address).post(`${api}/extension/token`, { json: guess() }),
  ],
  [
    'Asking for access by a program',
    { byAddress: [30, 10 * minute], byAccount: null },
    ({ address }) =>
      new Visitor(address).call(accessAction, '/oauth/device_authorization', { form: { client_id: 'Demo' } }),
  ],
  [
    'Entering the code of a program',
    { byAddress: [60, 10 * minute], byAccount: [20, 10 * minute] },
    async ({ address, account }) =>
      (await visitorOf(await verified(account), address)).call(userCodeAction, '/device', {
        form: { user_code: 'BBBB-CCCC' },
      }),
  ],
];

const guess = () => ({ code: `AAAA-BBBB-${String(nextNumber()).padStart(4, '2')}`, device: 'Demo phone' });

/** A user with an unverified address; actions above that need more take care of it. */
async function account(): Promise<Account> {
  const db = await database();
  const { userId } = await addPerson(db, { verified: false, nowMs: Date.now() });
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  return { userId, email: user?.email ?? '' };
}
/** The same user, now verified. */
async function verified({ userId }: Account): Promise<string> {
  const db = await database();
  await db.transaction((tx) =>
    tx.update(users).set({ emailVerifiedAtMs: Date.now() }).where(eq(users.id, userId)),
  );
  return userId;
}
function anAddress(): string {
  const number = nextNumber();
  return `10.7.${Math.floor(number / 250)}.${number % 250}`;
}

/** Advances the clock; limits end exactly when they should. */
const goTo = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms });

/** Uses up a limit, checks that the next attempt is refused, and that one after the window is not. */
async function exhaust(attempt: Attempt, [max, windowMs]: Limit, next: () => Promise<From>) {
  const beganMs = Date.now();
  for (let tried = 0; tried < max; tried++)
    expect([tried, (await attempt(await next())).status]).not.toEqual([tried, 429]);
  const refused = await attempt(await next());
  expect(refused.status).toBe(429);
  const waitMs = Number(refused.headers.get('Retry-After')) * second;
  const endsAtMs = Date.now() + waitMs;
  expect(Math.abs(endsAtMs - beganMs - windowMs)).toBeLessThan(minute);
  goTo(endsAtMs - minute);
  expect((await attempt(await next())).status).toBe(429);
  return { afterwards: () => goTo(endsAtMs + second) };
}

test.each(acts)('%s is limited per IP address, whatever the account', async (_, limits, attempt) => {
  const address = anAddress();
  const next = async () => ({ address, account: await account() });
  const { afterwards } = await exhaust(attempt, limits.byAddress, next);
  expect((await attempt({ address: anAddress(), account: await account() })).status).not.toBe(429);
  afterwards();
  expect((await attempt(await next())).status).not.toBe(429);
});

test.each(
  acts.flatMap(([name, { byAccount }, attempt]) => (byAccount ? [[name, byAccount, attempt] as const] : [])),
)('%s is limited per account, whatever the IP address', async (_, limit, attempt) => {
  const [someone, other] = [await account(), await account()];
  const next = async () => ({ address: anAddress(), account: someone });
  const { afterwards } = await exhaust(attempt, limit, next);
  expect((await attempt({ address: anAddress(), account: other })).status).not.toBe(429);
  afterwards();
  expect((await attempt(await next())).status).not.toBe(429);
});

test('Programs ask for their token as often as the API may be called, and hear beyond that how long to wait', async () => {
  const form = { grant_type: deviceGrant, device_code: 'a guess', client_id: 'Demo' };
  const ask = async (address: string) => {
    const { status, text, headers } = await new Visitor(address).call(tokenAction, '/oauth/token', { form });
    return [status, JSON.parse(text).error, Number(headers.get('Retry-After')) > 0];
  };
  const address = anAddress();
  for (let asked = 0; asked < 599; asked++) await admitCaller(address);
  expect(await ask(address)).toEqual([400, 'invalid_grant', false]);
  expect(await ask(address)).toEqual([429, 'slow_down', true]);
  expect(await ask(anAddress())).toEqual([400, 'invalid_grant', false]);
});

test('Companion app codes cannot be guessed: even the right one is refused until the limit ends', async () => {
  const db = await database();
  const userId = await verified(await account());
  const address = anAddress();
  const redeem = (json: object) => new App(address).post(`${api}/extension/token`, { json });
  for (let tried = 0; tried < 60; tried++)
    expect(await redeem(guess())).toMatchObject({ status: 422, codes: ['extensionCodeUnknown'] });
  const right = await extensionCodeOf(db, userId);
  const late = await redeem({ code: right.code, device: 'Demo phone' });
  expect(late).toMatchObject({ status: 429, codes: ['tooManyRequests'] });
  goTo(Date.now() + Number(late.headers.get('Retry-After')) * second + second);
  const { code } = await extensionCodeOf(db, userId);
  expect((await redeem({ code, device: 'Demo phone' })).status).toBe(201);
});

test('A right code refused because of the limit is not used up', async () => {
  const db = await database();
  const userId = await verified(await account());
  const address = anAddress();
  const from = (place: string, json: object) => new App(place).post(`${api}/extension/token`, { json });
  for (let tried = 0; tried < 60; tried++) await from(address, guess());
  const { code } = await extensionCodeOf(db, userId);
  const json = { code, device: 'Demo phone' };
  expect((await from(address, json)).status).toBe(429);
  expect((await from(anAddress(), json)).status).toBe(201);
});

test('Wrong passwords keep out whoever sent them, and not the owner elsewhere', async () => {
  const password = 'a short sentence';
  const json = { name: 'Demo', email: `guessed-${nextNumber()}@example.org`, password, terms: true };
  const home = new App(anAddress());
  expect(
    (await home.post(`${api}/register`, { json: { ...json, password_confirmation: password } })).status,
  ).toBe(201);
  const [guessing, elsewhere] = [anAddress(), anAddress()];
  const enter = (address: string, secret: string) =>
    new App(address).post(`${api}/login`, { json: { email: json.email, password: secret } });
  for (let tried = 0; tried < 10; tried++) expect((await enter(guessing, wrong)).status).toBe(422);
  expect((await enter(guessing, password)).status).toBe(429);
  expect((await enter(elsewhere, password)).status).toBe(200);
});

test('Guesses from many network addresses leave each few tries, and the owner at a fresh one is let in', async () => {
  const password = 'a short sentence';
  const json = { name: 'Demo', email: `besieged-${nextNumber()}@example.org`, password, terms: true };
  await new App(anAddress()).post(`${api}/register`, { json: { ...json, password_confirmation: password } });
  const enter = async (address: string, secret: string) =>
    (await new App(address).post(`${api}/login`, { json: { email: json.email, password: secret } })).status;
  for (let guessed = 0; guessed < 100; guessed++) await waitSeconds('signInByAccount', json.email);
  for (const guessing of [anAddress(), anAddress()])
    expect([
      await enter(guessing, wrong),
      await enter(guessing, wrong),
      await enter(guessing, password),
    ]).toEqual([422, 422, 429]);
  const home = anAddress();
  expect([await enter(home, wrong), await enter(home, password)]).toEqual([422, 200]);
  // A person who signed in from there may try again.
  expect([await enter(home, wrong), await enter(home, password)]).toEqual([422, 200]);
});

test('Refusals at the same moment take nothing back of what was guessed at an account', async () => {
  const account = `raced-${nextNumber()}@example.org`;
  for (let guessed = 0; guessed < 100; guessed++) await waitSeconds('signInByAccount', account);
  const guessing = anAddress();
  const waits = await Promise.all(
    Array.from({ length: 10 }, () => countPassword('signIn', { account, address: guessing })),
  );
  expect(waits.filter((wait) => wait === 0)).toHaveLength(2);
  expect(await waitSeconds('signInByAccount', account)).toBeGreaterThan(0);
});

/** An account whose owner has signed in before, in this browser, and a network address. */
async function signedInBefore() {
  const password = 'a short sentence';
  const json = { name: 'Demo', email: `known-${nextNumber()}@example.org`, password, terms: true };
  await new App(anAddress()).post(`${api}/register`, { json: { ...json, password_confirmation: password } });
  const address = anAddress();
  const enter = async (by: Visitor, secret = password, email = json.email) =>
    (await by.call(signInAction, '/auth/signin', { form: { email, password: secret } })).status;
  const own = new Visitor(address);
  expect(await enter(own)).toBe(302);
  return { email: json.email, address, own, enter };
}

test('Attempts of a network address that is blocked do not count for the account', async () => {
  const { address, enter } = await signedInBefore();
  for (let tried = 0; tried < 130; tried++) await enter(new Visitor(address), wrong);
  const elsewhere = new Visitor(anAddress());
  const statuses: number[] = [];
  for (let tried = 0; tried < 3; tried++) statuses.push(await enter(elsewhere, wrong));
  expect(statuses).toEqual([400, 400, 400]);
});

test('An owner gets in with a browser that did before, behind the address of whoever guesses', async () => {
  const { email, address, own, enter } = await signedInBefore();
  for (let guessed = 0; guessed < 61; guessed++) await enter(new Visitor(address), wrong);
  expect(await enter(new Visitor(address))).toBe(429);
  expect(await enter(own)).toBe(302);
  // A cookie that is not ours, and a browser that knows another account, are like any other.
  const forged = new Visitor(address);
  forged.plant('keepsake_device', encodeURIComponent(btoa(JSON.stringify({ id: 'x', accounts: [email] }))));
  expect(await enter(forged)).toBe(429);
  const { own: stranger } = await signedInBefore();
  const thief = new Visitor(address);
  thief.plant('keepsake_device', stranger.cookie('keepsake_device') ?? '');
  expect(await enter(thief)).toBe(429);
});

test('A browser that signed in before has ten attempts of its own, which a success gives back', async () => {
  const { address, own, enter } = await signedInBefore();
  for (let tried = 0; tried < 9; tried++) expect(await enter(own, wrong)).toBe(400);
  expect(await enter(own)).toBe(302);
  for (let tried = 0; tried < 10; tried++) expect(await enter(own, wrong)).toBe(400);
  expect(await enter(own)).toBe(429);
  // They are not those of the address.
  expect(await enter(new Visitor(address))).toBe(302);
});

test('The networks of one IPv6 customer have a limit together, and others are not concerned', async () => {
  const attempt = (network: string) => waitSeconds('resetByAddress', `${network}::/64`);
  for (let network = 0; network < 600; network++)
    expect(await attempt(`2001:db8:7:${network.toString(16)}`)).toBe(0);
  expect(await attempt('2001:db8:7:fff0')).toBeGreaterThan(0);
  expect(await attempt('2001:db8:8:fff0')).toBe(0);
  // Refused calls from one network cost the others nothing.
  for (let tried = 0; tried < 700; tried++) await attempt('2001:db8:9:1');
  expect(await attempt('2001:db8:9:2')).toBe(0);
});

test('A success gives the networks of one IPv6 customer back what this one had used, and no more', async () => {
  const account = `wide-${nextNumber()}@example.org`;
  const attempt = (network: number) =>
    waitSeconds('signInHere', here(account, `2001:db8:a:${network.toString(16)}::/64`));
  const exhaust = async (network: number) => {
    for (let tried = 0; tried < 10; tried++) expect(await attempt(network)).toBe(0);
  };
  for (let network = 1; network <= 20; network++) await exhaust(network);
  expect(await attempt(30)).toBeGreaterThan(0);
  await clearLimit('signInHere', here(account, '2001:db8:a:1::/64'));
  // One attempt of these ten was refused above, and counts as well.
  for (let tried = 0; tried < 9; tried++) expect(await attempt(31)).toBe(0);
  expect(await attempt(32)).toBeGreaterThan(0);
  await returnOne('signInHere', here(account, '2001:db8:a:31::/64'));
  await returnOne('signInHere', here(account, '2001:db8:a:31::/64'));
  expect(await attempt(33)).toBe(0);
  expect(await attempt(33)).toBeGreaterThan(0);
});

test('Wrong reset links keep out whoever sent them, and not the owner who has the right one', async () => {
  const { email } = await account();
  const set = (address: string, token: string) =>
    new App(address).post(`${api}/reset-password`, { json: { ...fresh, email, token } });
  const guessing = Array.from({ length: 4 }, anAddress);
  for (const address of guessing)
    for (let tried = 0; tried < 10; tried++) expect((await set(address, 'a guess')).status).toBe(422);
  for (const address of guessing) expect((await set(address, 'a guess')).status).toBe(429);
  await new App(anAddress()).post(`${api}/forgot-password`, { json: { email } });
  const token = (await mailedTokens(await database(), email)).at(-1) ?? '';
  expect((await set(anAddress(), token)).status).toBe(200);
});

test('A user who guessed too often can sign in from there after a reset through the API', async () => {
  const password = 'a short sentence';
  const json = { name: 'Demo', email: `kept-out-${nextNumber()}@example.org`, password, terms: true };
  const address = anAddress();
  const app = new App(address);
  expect(
    (await app.post(`${api}/register`, { json: { ...json, password_confirmation: password } })).status,
  ).toBe(201);
  const enter = (secret: string) =>
    new App(address).post(`${api}/login`, { json: { email: json.email, password: secret } });
  for (let tried = 0; tried < 11; tried++) await enter(wrong);
  expect((await enter(password)).status).toBe(429);
  await new App(anAddress()).post(`${api}/forgot-password`, { json: { email: json.email } });
  const token = (await mailedTokens(await database(), json.email)).at(-1);
  const reset = { ...fresh, email: json.email, token };
  expect((await new App(address).post(`${api}/reset-password`, { json: reset })).status).toBe(200);
  expect((await enter(fresh.password)).status).toBe(200);
});
