import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as languageAction } from '#app/routes/preferences/language.ts';
import { action as themeAction } from '#app/routes/preferences/theme.ts';
import {
  action as endOthersAction,
  loader as endOthersLoader,
} from '#app/routes/settings/end-other-sessions.tsx';
import { action as endAction, loader as endLoader } from '#app/routes/settings/end-session.tsx';
import { loader as exportLoader } from '#app/routes/settings/export.ts';
import { action as notificationsAction } from '#app/routes/settings/notifications.ts';
import { action as revokeAction, loader as revokeLoader } from '#app/routes/settings/revoke-token.tsx';
import { action as sendDelayAction } from '#app/routes/settings/send-delay.ts';
import { loader as settingsLoader } from '#app/routes/settings/settings.tsx';
import { action as tokensAction, loader as tokensLoader } from '#app/routes/settings/tokens.tsx';
import { database } from '#app/services/database.server.ts';
import { users } from '#db/schema/user.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { MAX_API_TOKENS } from '#domain/identity/access/issue-api-token.ts';
import { browserName } from '#domain/identity/session/browser-name.ts';
import { minute } from '#domain/kernel/time.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

const guard = verified;
const look = (visitor: Visitor) => visitor.call(settingsLoader, '/settings', { guard });

/** Signs the same user in from another browser. */
async function elsewhere(email: string, headers = {}, to = ''): Promise<Visitor> {
  const other = new Visitor();
  const form = { email, password: signUpForm().password };
  const answer = await other.call(signInAction, `/auth/signin${to}`, { form, headers });
  expect(answer.status).toBe(302);
  return other;
}

test('Language and theme are stored in the account, and signing in applies them in another browser', async () => {
  const { visitor, email } = await member();
  await visitor.call(languageAction, '/language', { form: { language: 'ru', to: '/settings' } });
  const chosen = await visitor.call(themeAction, '/theme', { form: { theme: 'dark', to: '/settings' } });
  expect(chosen.location).toBe('/settings');
  const other = await elsewhere(email);
  const preferenceOf = (browser: Visitor, name: string) =>
    JSON.parse(Buffer.from(decodeURIComponent(browser.cookie(name) ?? ''), 'base64').toString());
  expect(preferenceOf(other, 'keepsake_language')).toBe('ru');
  expect(preferenceOf(other, 'keepsake_theme')).toBe('dark');
});

test('A visitor can choose language and theme too, for this browser only', async () => {
  const visitor = new Visitor();
  const answer = await visitor.call(themeAction, '/theme', { form: { theme: 'light', to: '/faq' } });
  expect([answer.status, answer.location]).toEqual([302, '/faq']);
});

test('Mail about rewards can be turned off and on', async () => {
  const { visitor } = await member();
  const save = (...wanted: string[]) =>
    visitor.call(notificationsAction, '/settings/notifications', {
      form: new URLSearchParams(wanted.map((kind) => ['mail', kind])),
      guard,
    });
  const wanted = async () =>
    (await look(visitor)).body.mails
      .filter((mail: { wanted: boolean }) => mail.wanted)
      .map(({ kind }: { kind: string }) => kind);
  expect(await wanted()).toEqual(['promised', 'reminder', 'delivered', 'claimFailed', 'itemsUsable']);
  expect(await save('delivered', 'verifyEmail')).toMatchObject({
    location: '/settings',
    toast: 'settings.saved',
  });
  expect(await wanted()).toEqual(['delivered']);
  await save();
  expect(await wanted()).toEqual([]);
  await save('promised', 'reminder');
  expect(await wanted()).toEqual(['promised', 'reminder']);
});

test('Mail that the plan leaves out is not shown as on, and the choice of it outlives a save', async () => {
  const { visitor } = await member();
  const db = await database();
  const kinds = async () =>
    (await look(visitor)).body.mails.map((mail: { kind: string; wanted: boolean; needsPlan: boolean }) =>
      mail.needsPlan ? `${mail.kind} needs a plan` : mail.wanted ? mail.kind : `no ${mail.kind}`,
    );
  const save = (...wanted: string[]) =>
    visitor.call(notificationsAction, '/settings/notifications', {
      form: new URLSearchParams(wanted.map((kind) => ['mail', kind])),
      guard,
    });
  await sellPlans(db, true, START_MS);
  const unpaid = ['promised', 'reminder', 'delivered needs a plan', 'claimFailed', 'itemsUsable'];
  expect(await kinds()).toEqual(unpaid);
  await save('promised', 'claimFailed');
  await sellPlans(db, false, START_MS);
  expect(await kinds()).toEqual(['promised', 'no reminder', 'delivered', 'claimFailed', 'no itemsUsable']);
  await save('promised');
  await sellPlans(db, true, START_MS);
  await save('promised', 'delivered');
  await sellPlans(db, false, START_MS);
  expect(await kinds()).toContain('no delivered');
});

test('Each browser is listed by name, this one first, and another one can be signed out', async () => {
  const { visitor, email } = await member();
  const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0';
  const other = await elsewhere(email, { 'User-Agent': userAgent });
  const { sessions } = (await look(visitor)).body;
  expect(sessions).toMatchObject([
    { current: true },
    { browser: 'Firefox', system: 'Windows', current: false },
  ]);
  const [here, there] = sessions.map(({ id }: { id: string }) => ({ params: { id }, guard }));
  expect((await visitor.call(endLoader, '/settings/sessions/x/end', there)).body).toMatchObject({
    browser: 'Firefox',
  });
  expect(await visitor.call(endAction, '/settings/sessions/x/end', { ...there, form: {} })).toMatchObject({
    location: '/settings',
    toast: 'settings.sessions.ended',
  });
  expect((await look(other)).location).toBe('/auth/signup');
  expect((await look(visitor)).body.sessions).toHaveLength(1);
  const own = await visitor.call(endAction, '/settings/sessions/x/end', { ...here, form: {} });
  expect(own.status).toBe(404);
});

test('All other browsers are signed out at once, and this one is not', async () => {
  const { visitor, email } = await member();
  const others = [await elsewhere(email), await elsewhere(email)];
  const path = '/settings/sessions/end';
  expect((await visitor.call(endOthersLoader, path, { guard })).body).toHaveLength(2);
  const answer = await visitor.call(endOthersAction, path, { form: {}, guard });
  expect(answer).toMatchObject({ location: '/settings', toast: 'settings.sessions.endedAll' });
  for (const other of others) expect((await look(other)).location).toBe('/auth/signup');
  expect((await look(visitor)).body.sessions).toHaveLength(1);
  expect((await visitor.call(endOthersLoader, path, { guard })).location).toBe('/settings');
});

test('A token is shown once, listed by name, and invalid after it is revoked', async () => {
  const { visitor } = await member();
  const path = '/settings/tokens';
  const created = await visitor.call(tokensAction, path, { form: { name: ' Stream deck ' }, guard });
  const { token, name } = created.body.issued;
  expect(name).toBe('Stream deck');
  expect(await findApiToken(await database(), { token }, Date.now())).not.toBeNull();
  const listed = await visitor.call(tokensLoader, path, { guard });
  expect(listed.body.tokens).toMatchObject([{ name: 'Stream deck' }]);
  expect(JSON.stringify([listed.body, (await look(visitor)).body])).not.toContain(token);
  const one = { params: { id: listed.body.tokens[0].id }, guard };
  expect((await visitor.call(revokeLoader, `${path}/x/revoke`, one)).body).toEqual({ name: 'Stream deck' });
  const revoked = await visitor.call(revokeAction, `${path}/x/revoke`, { ...one, form: {} });
  expect(revoked).toMatchObject({ location: '/settings', toast: 'settings.tokens.revoked' });
  expect(await findApiToken(await database(), { token }, Date.now())).toBeNull();
});

test('A token needs a one-line name, and their number is limited', async () => {
  const { visitor } = await member();
  const create = (name: string) => visitor.call(tokensAction, '/settings/tokens', { form: { name }, guard });
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(61)]) expect((await create(name)).status).toBe(400);
  for (let number = 0; number < MAX_API_TOKENS; number++) await create(`Program ${number}`);
  const refused = await create('One more');
  expect(refused.status).toBe(409);
  expect(refused.body.result.error).toEqual({ '': ['errors.account.tooManyTokens'] });
});

test('A longer delay of new rules is chosen at once; for a shorter one the page asks who it is', async () => {
  const { visitor } = await member();
  const send = (hours: string) =>
    visitor.call(sendDelayAction, '/settings/send-delay', { form: { hours }, guard });
  const shown = async () => (await look(visitor)).body.sendDelay;
  expect(await send('24')).toMatchObject({ location: '/settings#send-delay', toast: 'settings.saved' });
  expect(await shown()).toEqual({ hours: 24, next: null });
  expect((await send('5')).status).toBe(400);
  const lowered = await send('1');
  expect(lowered.toast).toBe('settings.sendDelay.later');
  expect(await shown()).toEqual({ hours: 24, next: { hours: 1, atMs: expect.any(Number) } });
  await send('24');
  await confirmedAgo(visitor, 11 * minute);
  expect((await send('1')).location).toBe('/profile/confirm?to=%2Fsettings%23send-delay');
  expect(await shown()).toEqual({ hours: 24, next: null });
  expect(await send('72')).toMatchObject({ toast: 'settings.saved' });
  expect(await shown()).toEqual({ hours: 72, next: null });
});

test('The export is a file of the user’s own data, limited per hour', async () => {
  const { visitor, email } = await member();
  const answer = await visitor.call(exportLoader, '/settings/export', { guard });
  expect(answer.headers.get('Content-Disposition')).toMatch(
    /^attachment; filename="keepsake-\d{4}-\d\d-\d\d\.json"$/,
  );
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(JSON.parse(answer.text)).toMatchObject({ format: 'keepsake-account', account: { email } });
  const statuses = [];
  for (let attempts = 0; attempts < 10; attempts++)
    statuses.push((await visitor.call(exportLoader, '/settings/export', { guard })).status);
  expect(statuses.at(-1)).toBe(429);
});

test('The export shows names without what nobody sees, also those that were stored before', async () => {
  const { visitor, email } = await member();
  const db = await database();
  await db.transaction((tx) =>
    tx.update(users).set({ name: 'x\u202Egnp.Mira\u200B' }).where(eq(users.email, email)),
  );
  const { text } = await visitor.call(exportLoader, '/settings/export', { guard });
  expect(JSON.parse(text)).toMatchObject({ account: { email, name: 'xgnp.Mira' } });
});

test('Signing in redirects to the page that asked for it, and to no other site', async () => {
  const { email } = await member();
  const form = { email, password: signUpForm().password };
  for (const [to, expected] of [
    ['/extension/code', '/extension/code'],
    ['//evil.example', '/dashboard'],
    ['https://evil.example', '/dashboard'],
    ['/\\evil.example', '/dashboard'],
  ]) {
    const address = `/auth/signin?to=${encodeURIComponent(to ?? '')}`;
    expect((await new Visitor().call(signInAction, address, { form })).location).toBe(expected);
  }
});

test.each([
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15',
    'Safari',
    'macOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36',
    'Chrome',
    'Android',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0',
    'Edge',
    'Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/126.0 Mobile/15E148 Safari/604.1',
    'Chrome',
    'iOS',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 YaBrowser/24.6 Safari/537.36',
    'Yandex Browser',
    'Linux',
  ],
  ['curl/8.0', null, null],
])('%s is recognized', (userAgent, browser, system) => {
  expect(browserName(userAgent)).toEqual({ browser, system });
});
