import { eq } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { signedOut } from '#app/middleware/guards.server.ts';
import { action as stepAction } from '#app/routes/auth/second-step.tsx';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { loader as startTwitch } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { database } from '#app/services/database.server.ts';
import { attempts } from '#db/schema/access.ts';
import { mails } from '#db/schema/outbox.ts';
import { nextNumber } from '#tests/support/fixtures.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';
import { codeOf, halfAMinuteLater, turnAppOn } from '../support/with-authenticator.ts';

const twitch = await startFakeTwitch();
const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url, ...twitch.environment });
afterAll(() => bot.stop());

// It reads the configuration when it is loaded.
const { App } = await import('../api/support/app.ts');

const { password } = signUpForm();

const enter = (visitor: Visitor, email: string) =>
  visitor.call(signInAction, '/auth/signin', { form: { email, password }, guard: signedOut });

async function throughTwitch(visitor: Visitor, login: string) {
  const { location } = await visitor.call(startTwitch, '/auth/twitch');
  return visitor.call(twitchCallback, await decideElsewhere(location ?? '', { decision: 'approve', login }));
}

/** Lists how the new browsers signed in that an address's owner was mailed about. */
const waysMailed = async (recipient: string) =>
  (await (await database()).read.select().from(mails).where(eq(mails.recipient, recipient)))
    .filter(({ values }) => values.change === 'newBrowser')
    .map(({ values }) => values.by);

test('A sign-in by password is mailed from a new browser, and from the one of the sign-up it is not', async () => {
  const { visitor, email } = await member();
  expect((await enter(visitor, email)).status).toBe(302);
  expect(await waysMailed(email)).toEqual([]);
  expect((await enter(new Visitor(), email)).status).toBe(302);
  expect(await waysMailed(email)).toEqual(['password']);
});

test('A browser that keeps its cookies is new once', async () => {
  const { email } = await member();
  const browser = new Visitor();
  await enter(browser, email);
  // As if the day of the first mail were over.
  await (await database()).transaction(async (tx) => {
    await tx.delete(mails).where(eq(mails.recipient, email));
    await tx.delete(attempts);
  });
  await enter(browser, email);
  expect(await waysMailed(email)).toEqual([]);
});

test('A wrong password is not mailed', async () => {
  const { email } = await member();
  const form = { email, password: 'not my password' };
  expect((await new Visitor().call(signInAction, '/auth/signin', { form })).status).toBe(400);
  expect(await waysMailed(email)).toEqual([]);
});

test('A sign-in by Twitch is mailed from a new browser, and a sign-up by Twitch is not', async () => {
  const { login, email } = twitch.world.addUser({ login: `demo_new_${nextNumber()}` });
  expect((await throughTwitch(new Visitor(), login)).location).toBe('/dashboard');
  expect(await waysMailed(email)).toEqual([]);
  expect((await throughTwitch(new Visitor(), login)).location).toBe('/dashboard');
  expect(await waysMailed(email)).toEqual(['twitch']);
});

test('With a second factor the sign-in is mailed when it is complete', async () => {
  const { visitor, email } = await member();
  const { userId } = await turnAppOn(visitor);
  await halfAMinuteLater(userId);
  const browser = new Visitor();
  await enter(browser, email);
  expect(await waysMailed(email)).toEqual([]);
  const form = { code: await codeOf(userId) };
  const step = await browser.call(stepAction, '/auth/second-step', { form, guard: signedOut });
  expect(step.location).toBe('/dashboard');
  expect(await waysMailed(email)).toEqual(['secondFactor']);
});

test('A sign-in by the API is mailed, once a day', async () => {
  const { email } = await member();
  for (const app of [new App(), new App()])
    expect((await app.post('/api/v1/login', { json: { email, password } })).status).toBe(200);
  expect(await waysMailed(email)).toEqual(['password']);
});
