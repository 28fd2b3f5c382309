import { expect, test } from 'vitest';
import { signedOut, verified } from '#app/middleware/guards.server.ts';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as languageAction } from '#app/routes/preferences/language.ts';
import { action as themeAction } from '#app/routes/preferences/theme.ts';
import { database } from '#app/services/database.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { member } from '../support/member.ts';
import { readerLike } from '../support/site.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
const page = () => null;
const isIn = async (visitor: Visitor) =>
  (await visitor.call(page, '/dashboard', { guard: verified })).location === null;

test('A token planted in a browser is invalid after its owner signs in', async () => {
  const attacker = await member();
  const victim = await member();
  const planted = attacker.visitor.cookie(sessionCookieName()) ?? '';
  const browser = new Visitor();
  browser.plant(sessionCookieName(), planted);
  const form = { email: victim.email, password: 'a short sentence' };
  await browser.call(signInAction, '/auth/signin', { form });
  expect(browser.cookie(sessionCookieName())).not.toBe(planted);
  expect(await isIn(browser)).toBe(true);
  const copy = new Visitor();
  copy.plant(sessionCookieName(), planted);
  expect(await isIn(copy)).toBe(false);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
])('Choosing a language or theme never redirects to %s', async (to) => {
  const visitor = new Visitor();
  const language = await visitor.call(languageAction, '/language', { form: { language: 'ru', to } });
  const theme = await visitor.call(themeAction, '/theme', { form: { theme: 'dark', to } });
  for (const { location } of [language, theme]) expect(location).toMatch(/^\/(?![/\\])/);
});

test('Pages for signed-in users are not cached, so going back after signing out shows none of them', async () => {
  const { visitor } = await member();
  const reader = readerLike(visitor);
  for (const path of ['/dashboard', '/profile', '/settings', '/faq', '/nothing'])
    expect([path, (await reader.open(path)).headers.get('Cache-Control')]).toEqual([path, 'no-store']);
  await reader.open('/auth/signout', {});
  const { path, headers } = await reader.open('/profile');
  expect([path, headers.get('Cache-Control')]).toEqual(['/auth/signup', 'private, no-cache']);
});

test('When the database does not answer, guarded pages redirect to sign-up, which still opens', async () => {
  const { visitor } = await member();
  await (await database()).close();
  const guarded = await visitor.call(page, '/dashboard', { guard: verified });
  expect(guarded.location).toBe('/auth/signup');
  const entrance = await visitor.call(page, '/auth/signin', { guard: signedOut });
  expect(entrance).toMatchObject({ status: 200, location: null });
});
