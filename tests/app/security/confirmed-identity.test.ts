import { eq } from 'drizzle-orm';
import { afterAll, describe, expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { action as confirmAction, loader as confirmLoader } from '#app/routes/account/confirm-identity.tsx';
import { action as emailAction, loader as emailLoader } from '#app/routes/account/email.tsx';
import { action as passwordAction, loader as passwordLoader } from '#app/routes/account/password.tsx';
import { loader as profileLoader, action as tradeLinkAction } from '#app/routes/account/profile.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { loader as startTwitch } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { action as deviceAction } from '#app/routes/device/device.tsx';
import { action as codeAction } from '#app/routes/extension/code.tsx';
import { action as deleteAction, loader as deleteLoader } from '#app/routes/settings/delete-account.tsx';
import { action as tokensAction } from '#app/routes/settings/tokens.tsx';
import { action as unlinkSteamAction, loader as unlinkSteamLoader } from '#app/routes/steam/unlink.tsx';
import { action as unlinkTwitchAction, loader as unlinkTwitchLoader } from '#app/routes/twitch/unlink.tsx';
import { database } from '#app/services/database.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { minute } from '#domain/kernel/time.ts';
import { nextNumber, steamIdOf } from '#tests/support/fixtures.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const twitch = await startFakeTwitch();
const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url, ...twitch.environment });
afterAll(() => bot.stop());

const guard = verified;
const { password } = signUpForm();

const lettersTo = async (recipient: string) =>
  (await (await database()).read.select().from(mails).where(eq(mails.recipient, recipient)))
    .filter(({ template }) => template === 'accountChanged')
    .map(({ values }) => values.change);

/** Somebody with a Steam account, a trade link and a session whose proof is eleven minutes old. */
async function stale() {
  const person = await member();
  const db = await database();
  const { id: userId } = (await person.visitor.call(profileLoader, '/profile', { guard })).body.account;
  const steamId = steamIdOf(nextNumber());
  await linkSteam(db, { userId, steamId }, Date.now());
  await setTradeLink(db, { userId, tradeLink: formatTradeLink({ steamId, token: 'AbCdEfGh' }) }, Date.now());
  await confirmedAgo(person.visitor, 11 * minute);
  return { ...person, userId, steamId };
}

const through = (then: string) => `/profile/confirm?${new URLSearchParams({ to: then })}`;
const acts: {
  name: string;
  page: string;
  run: (visitor: Visitor, steamId: string) => ReturnType<Visitor['call']>;
}[] = [
  {
    name: 'disconnecting Steam',
    page: '/steam/unlink',
    run: (visitor) => visitor.call(unlinkSteamAction, '/steam/unlink', { form: {}, guard }),
  },
  {
    name: 'the page that disconnects Steam',
    page: '/steam/unlink',
    run: (visitor) => visitor.call(unlinkSteamLoader, '/steam/unlink', { guard }),
  },
  {
    name: 'disconnecting Twitch',
    page: '/twitch/unlink',
    run: (visitor) => visitor.call(unlinkTwitchAction, '/twitch/unlink', { form: {}, guard }),
  },
  {
    name: 'another trade link',
    page: '/profile#trade-link',
    run: (visitor, steamId) =>
      visitor.call(tradeLinkAction, '/profile', {
        form: { trade_link: formatTradeLink({ steamId, token: 'ZyXwVuTs' }) },
        guard,
      }),
  },
  {
    name: 'a new API token',
    page: '/settings/tokens?name=Demo',
    run: (visitor) => visitor.call(tokensAction, '/settings/tokens', { form: { name: 'Demo' }, guard }),
  },
  {
    name: 'a code for the companion app',
    page: '/extension/code',
    run: (visitor) => visitor.call(codeAction, '/extension/code', { form: {} }),
  },
  {
    name: 'access for a program',
    page: '/device?user_code=BCDF-GHJK',
    run: (visitor) =>
      visitor.call(deviceAction, '/device', { form: { user_code: 'BCDF-GHJK', decision: 'allow' } }),
  },
];

describe.each(acts)('$name', ({ page, run }) => {
  test('needs a proof of who uses the session, not older than ten minutes', async () => {
    const { visitor, email, steamId } = await stale();
    const before = await lettersTo(email);
    expect(await run(visitor, steamId)).toMatchObject({ status: 302, location: through(page) });
    expect(await lettersTo(email)).toEqual(before);
    await confirmedAgo(visitor, 9 * minute);
    expect((await run(visitor, steamId)).location).not.toBe(through(page));
  });
});

test('The password confirms, leads on, and holds for ten minutes', async () => {
  const { visitor } = await stale();
  const page = through('/steam/unlink');
  expect((await visitor.call(confirmLoader, page, { guard })).body).toMatchObject({
    to: '/steam/unlink',
    hasPassword: true,
    twitchName: null,
  });
  const wrong = await visitor.call(confirmAction, page, { form: { current: 'not my password' }, guard });
  expect(wrong.status).toBe(400);
  expect((await visitor.call(unlinkSteamLoader, '/steam/unlink', { guard })).location).toBe(page);
  expect(await visitor.call(confirmAction, page, { form: { current: password }, guard })).toMatchObject({
    location: '/steam/unlink',
  });
  expect((await visitor.call(unlinkSteamLoader, '/steam/unlink', { guard })).status).toBe(200);
  await confirmedAgo(visitor, 10 * minute);
  expect((await visitor.call(unlinkSteamLoader, '/steam/unlink', { guard })).location).toBe(page);
});

test('A page of another site is never the next one', async () => {
  const { visitor } = await stale();
  const page = through('https://elsewhere.invalid/');
  const answer = await visitor.call(confirmAction, page, { form: { current: password }, guard });
  expect(answer.location).toBe('/profile');
});

test('A confirmed session confirms no other of the same account', async () => {
  const { visitor, email } = await stale();
  const elsewhere = new Visitor();
  await elsewhere.call(signInAction, '/auth/signin', { form: { email, password } });
  await confirmedAgo(elsewhere, 11 * minute);
  await visitor.call(confirmAction, '/profile/confirm', { form: { current: password }, guard });
  expect((await visitor.call(unlinkSteamLoader, '/steam/unlink', { guard })).status).toBe(200);
  expect((await elsewhere.call(unlinkSteamLoader, '/steam/unlink', { guard })).location).toBe(
    through('/steam/unlink'),
  );
});

test('Wrong passwords of a thief in a stolen session do not keep the owner from confirming', async () => {
  const { visitor, email } = await stale();
  const thief = new Visitor();
  thief.plant('keepsake_session', visitor.cookie('keepsake_session') ?? '');
  const confirm = (by: Visitor, current: string) =>
    by.call(confirmAction, '/profile/confirm', { form: { current }, guard });
  for (let tried = 0; tried < 12; tried++) await confirm(thief, 'not it');
  expect((await confirm(thief, 'not it')).status).toBe(429);
  for (let guessed = 0; guessed < 60; guessed++) await waitSeconds('passwordByAccount', email);
  expect((await confirm(visitor, 'mistyped')).status).toBe(400);
  expect((await confirm(visitor, password)).location).toBe('/profile');
});

test('A wrong password is tried ten times in a quarter of an hour, and no more', async () => {
  const { visitor } = await stale();
  const statuses: number[] = [];
  for (let tried = 0; tried < 11; tried++)
    statuses.push(
      (await visitor.call(confirmAction, '/profile/confirm', { form: { current: 'not it' }, guard })).status,
    );
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
});

describe('An account that Twitch made', () => {
  async function enter(login: string) {
    const visitor = new Visitor();
    const { location } = await visitor.call(startTwitch, '/auth/twitch');
    await visitor.call(twitchCallback, await decideElsewhere(location ?? '', { decision: 'approve', login }));
    await confirmedAgo(visitor, 11 * minute);
    return visitor;
  }
  async function confirmAs(visitor: Visitor, login: string) {
    const { location } = await visitor.call(startTwitch, '/auth/twitch?from=confirm&to=/profile/password');
    expect(new URL(location ?? '').searchParams.get('force_verify')).toBe('true');
    return visitor.call(
      twitchCallback,
      await decideElsewhere(location ?? '', { decision: 'approve', login }),
    );
  }
  let number = 0;
  const somebody = () => twitch.world.addUser({ login: `demo_confirming_${++number}` });

  test.each([
    [
      'a first password',
      passwordLoader,
      passwordAction,
      '/profile/password',
      { next: 'a long enough password' },
    ],
    ['deleting it', deleteLoader, deleteAction, '/settings/delete', { current: 'any@example.com' }],
  ] as const)('asks for Twitch before %s', async (_, loader, action, page, form) => {
    const visitor = await enter(somebody().login);
    expect((await visitor.call(loader, page, { guard })).location).toBe(through(page));
    expect((await visitor.call(action, page, { form, guard })).location).toBe(through(page));
  });

  test('is told at once that its only way in cannot be disconnected', async () => {
    const visitor = await enter(somebody().login);
    const asked = await visitor.call(unlinkTwitchLoader, '/twitch/unlink', { guard });
    expect([asked.status, asked.body.error]).toEqual([200, 'errors.account.passwordMissing']);
    const sent = await visitor.call(unlinkTwitchAction, '/twitch/unlink', { form: {}, guard });
    expect(sent.location).toBe(through('/twitch/unlink'));
  });

  test('asks for another address only while its session is confirmed', async () => {
    const visitor = await enter(somebody().login);
    await confirmedAgo(visitor, 11 * minute);
    const asked = through('/profile/email');
    expect((await visitor.call(emailLoader, '/profile/email', { guard })).location).toBe(asked);
    const form = { email: 'thief@example.org' };
    expect((await visitor.call(emailAction, '/profile/email', { form, guard })).location).toBe(asked);
  });

  test('is confirmed by its own Twitch account alone', async () => {
    const own = somebody();
    const visitor = await enter(own.login);
    expect(await confirmAs(visitor, somebody().login)).toMatchObject({
      location: through('/profile/password'),
      toast: 'errors.account.otherTwitchConfirmed',
    });
    expect((await visitor.call(passwordLoader, '/profile/password', { guard })).location).toBe(
      through('/profile/password'),
    );
    expect(await confirmAs(visitor, own.login)).toMatchObject({ location: '/profile/password', toast: null });
    expect((await visitor.call(passwordLoader, '/profile/password', { guard })).status).toBe(200);
  });
});

test('A stolen session does not confirm itself by connecting a Twitch account of its own', async () => {
  const { visitor, email } = await stale();
  const { login } = twitch.world.addUser({ login: `thief_${nextNumber()}` });
  const page = '/auth/twitch?permissions=streamer&from=streamer';
  expect((await visitor.call(startTwitch, page)).location).toBe(through(page));
  await confirmedAgo(visitor, 0);
  const { location } = await visitor.call(startTwitch, page);
  const back = await decideElsewhere(location ?? '', { decision: 'approve', login });
  await confirmedAgo(visitor, 11 * minute);
  expect((await visitor.call(twitchCallback, back)).location).toBe(through('/auth/twitch'));
  expect(await lettersTo(email)).not.toContain('twitchLinked');
  await confirmedAgo(visitor, 0);
  expect((await visitor.call(twitchCallback, back)).toast).toBe('profile.twitch.linked');
  expect(await lettersTo(email)).toContain('twitchLinked');
});

test('Its owner is mailed what was changed', async () => {
  const { visitor, email, steamId } = await stale();
  await confirmedAgo(visitor, 0);
  await visitor.call(tokensAction, '/settings/tokens', { form: { name: 'Demo' }, guard });
  await visitor.call(tradeLinkAction, '/profile', {
    form: { trade_link: formatTradeLink({ steamId, token: 'ZyXwVuTs' }) },
    guard,
  });
  await visitor.call(unlinkSteamAction, '/steam/unlink', { form: {}, guard });
  await visitor.call(passwordAction, '/profile/password', {
    form: { current: password, next: 'another long password' },
    guard,
  });
  expect(await lettersTo(email)).toEqual([
    'steamLinked',
    'tokenIssued',
    'tradeLinkChanged',
    'steamUnlinked',
    'passwordChanged',
  ]);
});
