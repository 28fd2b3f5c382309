import { expect, test } from 'vitest';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { loader as twitchLoader } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { action as languageAction } from '#app/routes/preferences/language.ts';
import { action as themeAction } from '#app/routes/preferences/theme.ts';
import { loader as steamLoader } from '#app/routes/steam/link.ts';
import { App } from '../api/support/app.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb({
  PUBLIC_URL: 'https://keepsake.example',
  TWITCH_CLIENT_ID: 'demo-client',
  TWITCH_CLIENT_SECRET: 'demo-secret',
});

/** The cookies that an answer sets, by name, without values that differ each time. */
const setBy = (lines: readonly string[]) =>
  lines
    .filter((line) => !/max-age=0/i.test(line))
    .map((line) => ({ name: line.split(/[=:]/)[0] ?? '', flags: line.split('; ').slice(1) }));

async function allCookies() {
  const visitor = new Visitor();
  const { email } = await member();
  const form = { email, password: signUpForm().password };
  const signedIn = await new Visitor().call(signInAction, '/auth/signin', { form });
  const signedUp = await visitor.call(signUpAction, '/auth/signup', { form: signUpForm() });
  const language = await visitor.call(languageAction, '/language', { form: { language: 'ru', to: '/' } });
  const theme = await visitor.call(themeAction, '/theme', { form: { theme: 'dark', to: '/' } });
  const toTwitch = await new Visitor().call(twitchLoader, '/auth/twitch?from=extension');
  const toSteam = await (await member()).visitor.call(steamLoader, '/steam/link');
  const api = await new App().get('/sanctum/csrf-cookie');
  const answers = [signedIn, signedUp, language, theme, toTwitch, toSteam].flatMap(
    ({ setCookies }) => setCookies,
  );
  return setBy([...answers, ...api.headers.getSetCookie()]);
}

test('With https, cookies are deleted as they were set', async () => {
  const visitor = new Visitor();
  const { location } = await visitor.call(twitchLoader, '/auth/twitch');
  const state = new URL(location ?? '').searchParams.get('state');
  const answer = await visitor.call(
    twitchCallback,
    `/auth/twitch/callback?state=${state}&error=access_denied`,
  );
  const deleted = answer.setCookies.filter((line) => /max-age=0/i.test(line));
  expect(deleted.map((line) => line.split(/[=:]/)[0])).toEqual(['__Host-keepsake_twitch']);
  for (const line of deleted) expect(line.split('; ')).toContain('Secure');
});

test('With https, all cookies are Secure, and all but the one for scripts are HttpOnly', async () => {
  const cookies = await allCookies();
  expect(new Set(cookies.map(({ name }) => name))).toEqual(
    new Set([
      '__Host-keepsake_session',
      '__Host-keepsake_device',
      '__Host-keepsake_toast',
      '__Host-keepsake_language',
      '__Host-keepsake_theme',
      '__Host-keepsake_twitch',
      '__Host-keepsake_steam',
      'XSRF-TOKEN',
    ]),
  );
  for (const { name, flags } of cookies) {
    expect(flags, name).toContain('Secure');
    expect(flags, name).toContain('SameSite=Lax');
    expect([name, flags.includes('HttpOnly')]).toEqual([name, name !== 'XSRF-TOKEN']);
    expect(
      flags.filter((flag) => flag.startsWith('Domain')),
      name,
    ).toEqual([]);
  }
  // Browsers accept the prefix only with this path.
  for (const { name, flags } of cookies) expect([name, flags.includes('Path=/')]).toEqual([name, true]);
});
