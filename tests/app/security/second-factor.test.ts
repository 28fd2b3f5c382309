import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { signedOut, verified } from '#app/middleware/guards.server.ts';
import { loader as appLoader } from '#app/routes/account/authenticator.tsx';
import { action as confirmAction, loader as confirmLoader } from '#app/routes/account/confirm-identity.tsx';
import { action as emailAction } from '#app/routes/account/email.tsx';
import { action as passwordAction } from '#app/routes/account/password.tsx';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { action as codesAction } from '#app/routes/account/recovery-codes.tsx';
import { action as removeAction } from '#app/routes/account/remove-authenticator.tsx';
import { action as stepAction, loader as stepLoader } from '#app/routes/auth/second-step.tsx';
import { action as signInAction, loader as signInLoader } from '#app/routes/auth/signin.tsx';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { loader as startTwitch } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { loader as dashboardLoader } from '#app/routes/dashboard/dashboard.tsx';
import { action as deleteAction } from '#app/routes/settings/delete-account.tsx';
import { action as tokensAction } from '#app/routes/settings/tokens.tsx';
import { database } from '#app/services/database.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { pendingSignIns } from '#db/schema/second-factor.ts';
import { sessions } from '#db/schema/user.ts';
import { minute } from '#domain/kernel/time.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';
import { beginApp, codeOf, halfAMinuteLater, turnAppOn } from '../support/with-authenticator.ts';

const twitch = await startFakeTwitch();
await setWeb({ BOT_URL: 'http://127.0.0.1:9', ...twitch.environment });

const { password } = signUpForm();
const guard = verified;

async function owner() {
  const person = await member();
  return { ...person, ...(await turnAppOn(person.visitor)) };
}

const enter = (visitor: Visitor, email: string, query = '') =>
  visitor.call(signInAction, `/auth/signin${query}`, { form: { email, password }, guard: signedOut });
const step = (visitor: Visitor, code: string, page = '/auth/second-step') =>
  visitor.call(stepAction, page, { form: { code }, guard: signedOut });
const isSignedIn = async (visitor: Visitor) =>
  (await visitor.call(profileLoader, '/profile', { guard })).status === 200;

const changesMailed = async (email: string) =>
  (await (await database()).read.select().from(mails).where(eq(mails.recipient, email)))
    .filter(({ template }) => template === 'accountChanged')
    .map(({ values }) => values.change);

describe('A right password alone', () => {
  test('leads to the second step, keeps the page to go to, and opens nothing', async () => {
    const { email, userId } = await owner();
    const thief = new Visitor();
    const answer = await enter(thief, email, '?to=/items/custody');
    expect(answer.location).toBe('/auth/second-step?to=%2Fitems%2Fcustody');
    expect(thief.cookieNames()).toEqual(['keepsake_second_step']);
    expect(answer.setCookies[0]).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    for (const [loader, path] of [
      [dashboardLoader, '/dashboard'],
      [profileLoader, '/profile'],
    ] as const)
      expect((await thief.call(loader, path, { guard })).location).toBe('/auth/signup');
    const done = await step(thief, await codeOf(userId), answer.location ?? '');
    expect(done.location).toBe('/items/custody');
    expect(await isSignedIn(thief)).toBe(true);
    expect(thief.cookieNames()).not.toContain('keepsake_second_step');
  });

  test('opens nothing where the second step’s cookie is sent as a session', async () => {
    const { email } = await owner();
    const thief = new Visitor();
    await enter(thief, email);
    const pending = thief.cookie('keepsake_second_step') ?? '';
    thief.plant('keepsake_session', pending);
    expect(await isSignedIn(thief)).toBe(false);
    thief.plant('keepsake_session', pending.split('.')[0] ?? '');
    expect(await isSignedIn(thief)).toBe(false);
  });

  test('opens nothing through a form of sign-up that is sent again', async () => {
    const { email } = await owner();
    const thief = new Visitor();
    const again = await thief.call(signUpAction, '/auth/signup', { form: signUpForm({ email }) });
    expect(again.location).toBe('/auth/second-step?to=%2Fdashboard');
    expect(await isSignedIn(thief)).toBe(false);
  });

  test('leads away from here to no other site', async () => {
    const { email, userId } = await owner();
    const visitor = new Visitor();
    await enter(visitor, email, '?to=https://evil.example/');
    const answer = await step(visitor, await codeOf(userId), '/auth/second-step?to=//evil.example');
    expect(answer.location).toBe('/dashboard');
  });
});

describe('A pending sign-in', () => {
  test('is needed: a code alone signs nobody in', async () => {
    const { userId } = await owner();
    const visitor = new Visitor();
    const page = '/auth/second-step?to=%2Fitems';
    const start = { location: '/auth/signin?to=%2Fitems', toast: null };
    expect(await visitor.call(stepLoader, page, { guard: signedOut })).toMatchObject(start);
    expect(await step(visitor, await codeOf(userId), page)).toMatchObject(start);
  });

  test('is used up by its session, and does not sign in another browser then', async () => {
    const { email, userId } = await owner();
    const visitor = new Visitor();
    await enter(visitor, email);
    const stolen = visitor.cookie('keepsake_second_step') ?? '';
    await step(visitor, await codeOf(userId));
    await halfAMinuteLater(userId);
    const thief = new Visitor();
    thief.plant('keepsake_second_step', stolen);
    expect((await step(thief, await codeOf(userId))).toast).toBe('errors.account.signInExpired');
    expect(await isSignedIn(thief)).toBe(false);
  });

  test('that has ended says so, and the next one goes on to the same page', async () => {
    const { email } = await owner();
    const visitor = new Visitor();
    const page = (await enter(visitor, email, '?to=/items/custody')).location ?? '';
    await (await database()).transaction(async (tx) => {
      await tx.update(pendingSignIns).set({ expiresAtMs: Date.now() });
    });
    const ended = { location: '/auth/signin?to=%2Fitems%2Fcustody', toast: 'errors.account.signInExpired' };
    const again = new Visitor();
    again.plant('keepsake_second_step', visitor.cookie('keepsake_second_step') ?? '');
    expect(await again.call(stepLoader, page, { guard: signedOut })).toMatchObject(ended);
    expect(await step(visitor, '123456', page)).toMatchObject(ended);
    expect(visitor.cookieNames()).not.toContain('keepsake_second_step');
  });

  test('of another account does not take this account’s code, and a forged one is none', async () => {
    const [one, other] = [await owner(), await owner()];
    const visitor = new Visitor();
    await enter(visitor, one.email);
    expect((await step(visitor, await codeOf(other.userId))).status).toBe(400);
    const forger = new Visitor();
    const value = Buffer.from(JSON.stringify('made up')).toString('base64');
    forger.plant('keepsake_second_step', encodeURIComponent(value));
    expect((await step(forger, await codeOf(one.userId))).location).toBe('/auth/signin?to=%2Fdashboard');
  });
});

test('Twitch leads to the second step as well', async () => {
  const { login } = twitch.world.addUser({ login: 'demo_second_step' });
  const throughTwitch = async (visitor: Visitor, page = '/auth/twitch') => {
    const { location } = await visitor.call(startTwitch, page);
    const back = await decideElsewhere(location ?? '', { decision: 'approve', login });
    return visitor.call(twitchCallback, back);
  };
  const visitor = new Visitor();
  await throughTwitch(visitor);
  await throughTwitch(visitor, '/auth/twitch?from=confirm');
  const { userId } = await turnAppOn(visitor);
  const elsewhere = new Visitor();
  expect((await throughTwitch(elsewhere)).location).toBe('/auth/second-step?to=%2Fdashboard');
  expect(elsewhere.cookieNames()).not.toContain('keepsake_session');
  expect(await isSignedIn(elsewhere)).toBe(false);
  expect((await step(elsewhere, await codeOf(userId))).location).toBe('/dashboard');
  expect(await isSignedIn(elsewhere)).toBe(true);

  await confirmedAgo(elsewhere, 11 * minute);
  const confirmed = await throughTwitch(elsewhere, '/auth/twitch?from=confirm&to=/steam/unlink');
  expect(confirmed.toast).toBe('errors.account.secondFactorNeeded');
});

test('The page to go to is kept by Twitch from the sign-in page, and by a sign-in that starts again', async () => {
  const { login } = twitch.world.addUser({ login: 'demo_going_on' });
  const throughTwitch = async (visitor: Visitor, page: string) => {
    const { location } = await visitor.call(startTwitch, page);
    const back = await decideElsewhere(location ?? '', { decision: 'approve', login });
    return (await visitor.call(twitchCallback, back)).location;
  };
  const visitor = new Visitor();
  await throughTwitch(visitor, '/auth/twitch');
  const onward = '/auth/twitch?from=signin&to=/items/custody';
  expect(await throughTwitch(new Visitor(), onward)).toBe('/items/custody');
  for (const elsewhere of ['https://elsewhere.invalid/', '//elsewhere.invalid'])
    expect(await throughTwitch(new Visitor(), `/auth/twitch?from=signin&to=${elsewhere}`)).toBe('/dashboard');
  await throughTwitch(visitor, '/auth/twitch?from=confirm');
  await turnAppOn(visitor);
  const waiting = new Visitor();
  const page = await throughTwitch(waiting, onward);
  expect(page).toBe('/auth/second-step?to=%2Fitems%2Fcustody');
  const shown = await waiting.call(stepLoader, page ?? '');
  expect(shown.body.again).toBe('/auth/signin?to=%2Fitems%2Fcustody');
  const signIn = await new Visitor().call(signInLoader, shown.body.again);
  expect(signIn.body.to).toBe('/items/custody');
});

describe('Guesses', () => {
  test('are limited per address, and over all addresses per account; the owner is mailed once and gets in by a recovery code', async () => {
    const { email, userId, recoveryCodes } = await owner();
    const statuses: number[] = [];
    for (let place = 0; place < 4; place++) {
      const thief = new Visitor();
      await enter(thief, email);
      for (let tried = 0; tried < 11; tried++) statuses.push((await step(thief, '000000')).status);
    }
    expect(statuses.slice(0, 11)).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
    expect(statuses.filter((status) => status === 400)).toHaveLength(30);
    const visitor = new Visitor();
    await enter(visitor, email);
    const exhausted = await step(visitor, await codeOf(userId));
    expect([exhausted.status, exhausted.body.result.error['']]).toEqual([
      429,
      ['errors.account.codesExhausted|{"count":24}'],
    ]);
    expect((await changesMailed(email)).filter((change) => change === 'codesGuessed')).toHaveLength(1);
    expect((await step(visitor, recoveryCodes[0] ?? '')).location).toBe('/dashboard');
    expect((await step(new Visitor(), recoveryCodes[0] ?? '')).location).toBe('/auth/signin?to=%2Fdashboard');
  });

  test('of the owner end with a right code', async () => {
    const { email, userId } = await owner();
    const visitor = new Visitor();
    await enter(visitor, email);
    for (let tried = 0; tried < 9; tried++) await step(visitor, '000000');
    expect((await step(visitor, await codeOf(userId))).location).toBe('/dashboard');
    await halfAMinuteLater(userId);
    const again = new Visitor(visitor.address);
    await enter(again, email);
    for (let tried = 0; tried < 9; tried++) expect((await step(again, '000000')).status).toBe(400);
  });

  test('of others still count after a right code, which itself does not', async () => {
    const { email, userId } = await owner();
    const statuses: number[] = [];
    for (let place = 0; place < 3; place++) {
      const thief = new Visitor();
      await enter(thief, email);
      for (let tried = 0; tried < 9; tried++) statuses.push((await step(thief, '000000')).status);
      const visitor = new Visitor();
      await enter(visitor, email);
      expect((await step(visitor, await codeOf(userId))).location).toBe('/dashboard');
      await halfAMinuteLater(userId);
    }
    const thief = new Visitor();
    await enter(thief, email);
    for (let tried = 0; tried < 4; tried++) statuses.push((await step(thief, '000000')).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 400), 429]);
  });
});

describe('A stolen session with the password', () => {
  async function stolen() {
    const person = await owner();
    await confirmedAgo(person.visitor, 11 * minute);
    return person;
  }
  const through = (then: string) => `/profile/confirm?${new URLSearchParams({ to: then })}`;
  const acts: [string, string, (visitor: Visitor) => ReturnType<Visitor['call']>][] = [
    [
      'a new password',
      '/profile/password',
      (visitor) =>
        visitor.call(passwordAction, '/profile/password', {
          form: { current: password, next: 'another sentence' },
          guard,
        }),
    ],
    [
      'a new address',
      '/profile/email',
      (visitor) =>
        visitor.call(emailAction, '/profile/email', {
          form: { email: 'thief@example.org', password },
          guard,
        }),
    ],
    [
      'an API token',
      '/settings/tokens?name=Demo',
      (visitor) => visitor.call(tokensAction, '/settings/tokens', { form: { name: 'Demo' }, guard }),
    ],
    [
      'new recovery codes',
      '/profile/second-factor/recovery-codes',
      (visitor) => visitor.call(codesAction, '/profile/second-factor/recovery-codes', { form: {}, guard }),
    ],
    [
      'deleting the account',
      '/settings/delete',
      (visitor) => visitor.call(deleteAction, '/settings/delete', { form: { current: password }, guard }),
    ],
  ];

  test.each(acts)('does not reach %s', async (_, page, act) => {
    const { visitor, userId } = await stolen();
    expect(await act(visitor)).toMatchObject({ status: 302, location: through(page) });
    const confirm = (form: Record<string, string>) =>
      visitor.call(confirmAction, through(page), { form, guard });
    expect((await confirm({ current: password })).status).toBe(400);
    expect((await confirm({ code: password })).status).toBe(400);
    expect((await act(visitor)).location).toBe(through(page));
    expect((await confirm({ code: await codeOf(userId) })).location).toBe(page);
    expect((await act(visitor)).location).not.toBe(through(page));
  });

  test('does not turn the app off, and is asked for a code alone', async () => {
    const { visitor, userId, email } = await stolen();
    const page = '/profile/second-factor/off';
    const remove = (code: string) => visitor.call(removeAction, page, { form: { code }, guard });
    expect((await visitor.call(confirmLoader, '/profile/confirm', { guard })).body).toMatchObject({
      asked: { code: 'app', passkey: null },
    });
    for (const code of [password, '000000']) expect((await remove(code)).status).toBe(400);
    await confirmedAgo(visitor, 0);
    expect((await remove('000000')).status).toBe(400);
    expect((await remove(await codeOf(userId))).toast).toBe('secondFactor.remove.done');
    expect((await changesMailed(email)).at(-1)).toBe('authenticatorOff');
  });
});

test('A secret that another session began is not shown: this one begins its own', async () => {
  const { visitor, email } = await member();
  const thief = new Visitor();
  await enter(thief, email);
  await beginApp(thief);
  const page = '/profile/second-factor/app';
  const setupOf = async (who: Visitor) => (await who.call(appLoader, page, { guard })).body.setup;
  expect(await setupOf(thief)).toMatchObject({ key: expect.any(String) });
  expect(await setupOf(visitor)).toBeNull();
  const { userId } = await turnAppOn(visitor);
  expect(await isSignedIn(thief)).toBe(false);
  expect(await codeOf(userId)).toMatch(/^\d{6}$/);
});

test('Setting an app up asks who it is, signs other browsers out, and renews the session', async () => {
  const { visitor, email } = await member();
  const elsewhere = new Visitor();
  await enter(elsewhere, email);
  expect(await isSignedIn(elsewhere)).toBe(true);
  await confirmedAgo(visitor, 11 * minute);
  const page = '/profile/second-factor/app';
  expect((await visitor.call(appLoader, page, { guard })).location).toBe(
    `/profile/confirm?${new URLSearchParams({ to: page })}`,
  );
  await confirmedAgo(visitor, 0);
  const before = visitor.sessionToken();
  const { recoveryCodes, userId } = await turnAppOn(visitor);
  expect(recoveryCodes).toHaveLength(10);
  expect(await isSignedIn(elsewhere)).toBe(false);
  expect(await isSignedIn(visitor)).toBe(true);
  expect(visitor.sessionToken()).not.toBe(before);
  const own = await (await database()).read.select().from(sessions).where(eq(sessions.userId, userId));
  expect(own).toHaveLength(1);
});
