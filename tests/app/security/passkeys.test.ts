import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { signedOut, verified } from '#app/middleware/guards.server.ts';
import {
  action as confirmAction,
  shouldRevalidate as confirmAgain,
  loader as confirmLoader,
} from '#app/routes/account/confirm-identity.tsx';
import {
  action as addAction,
  loader as addLoader,
  shouldRevalidate,
} from '#app/routes/account/new-passkey.tsx';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { shouldRevalidate as appOffAgain } from '#app/routes/account/remove-authenticator.tsx';
import {
  action as removeAction,
  shouldRevalidate as removeAgain,
  loader as removeLoader,
} from '#app/routes/account/remove-passkey.tsx';
import { loader as overviewLoader } from '#app/routes/account/second-factor.tsx';
import { loader as challengeLoader } from '#app/routes/auth/passkey.ts';
import {
  action as stepAction,
  shouldRevalidate as stepAgain,
  loader as stepLoader,
} from '#app/routes/auth/second-step.tsx';
import { action as signInAction, loader as signInLoader } from '#app/routes/auth/signin.tsx';
import { database } from '#app/services/database.server.ts';
import { passkeySiteAt } from '#app/services/sign-in/passkey-site.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { minute } from '#domain/kernel/time.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

const { password } = signUpForm();
const guard = verified;
const newPage = '/profile/second-factor/passkeys/new';

async function add(visitor: Visitor, device: PasskeyDevice) {
  const { body } = await visitor.call(addLoader, newPage, { guard });
  const passkey = JSON.stringify(device.register(JSON.parse(body.options)));
  return visitor.call(addAction, newPage, { form: { name: 'Phone', passkey }, guard });
}

/** Somebody whose one second factor is a passkey. */
async function owner() {
  const person = await member();
  const device = new PasskeyDevice();
  const { body } = await add(person.visitor, device);
  return { ...person, device, recoveryCodes: body.recoveryCodes as string[] };
}

async function half({ email }: { email: string }) {
  const visitor = new Visitor();
  await visitor.call(signInAction, '/auth/signin', { form: { email, password }, guard: signedOut });
  return visitor;
}
const stepPage = '/auth/second-step?to=%2Fitems';
const askedOf = async (visitor: Visitor, page = stepPage) =>
  (await visitor.call(stepLoader, page, { guard: signedOut })).body.asked;
const step = (visitor: Visitor, form: Record<string, string>) =>
  visitor.call(stepAction, stepPage, { form, guard: signedOut });
const signed = (device: PasskeyDevice, options: string, deviation = {}) => ({
  passkey: JSON.stringify(device.sign(JSON.parse(options), deviation)),
});
const isSignedIn = async (visitor: Visitor) =>
  (await visitor.call(profileLoader, '/profile', { guard })).status === 200;

test('Adding a passkey asks who it is, shows recovery codes once, and renews the session', async () => {
  const { visitor, email } = await member();
  const elsewhere = await half({ email });
  expect(await isSignedIn(elsewhere)).toBe(true);
  await confirmedAgo(visitor, 11 * minute);
  const confirm = `/profile/confirm?${new URLSearchParams({ to: newPage })}`;
  expect((await visitor.call(addLoader, newPage, { guard })).location).toBe(confirm);
  const form = { name: 'Phone', passkey: '{}' };
  expect((await visitor.call(addAction, newPage, { form, guard })).location).toBe(confirm);
  await confirmedAgo(visitor, 0);
  for (const passkey of ['', 'no JSON', '{}', '{"id":"<"}'])
    expect((await visitor.call(addAction, newPage, { form: { name: 'Phone', passkey }, guard })).status).toBe(
      400,
    );
  const before = visitor.sessionToken();
  const { body } = await add(visitor, new PasskeyDevice());
  expect(body.recoveryCodes).toHaveLength(10);
  expect(visitor.sessionToken()).not.toBe(before);
  expect(await isSignedIn(visitor)).toBe(true);
  expect(await isSignedIn(elsewhere)).toBe(false);
  // The page with the codes asks for nothing that could lead away from it.
  const asked = { defaultShouldRevalidate: true };
  expect(shouldRevalidate({ ...asked, actionResult: body } as never)).toBe(false);
  expect(shouldRevalidate({ ...asked, actionResult: undefined } as never)).toBe(true);
  const second = await add(visitor, new PasskeyDevice());
  expect([second.location, second.toast]).toEqual(['/profile/second-factor', 'secondFactor.passkeys.done']);
  const overview = await visitor.call(overviewLoader, '/profile/second-factor', { guard });
  expect(overview.body).toMatchObject({
    canAddPasskey: true,
    passkeys: [{ name: 'Phone' }, { name: 'Phone' }],
  });
});

test('A passkey is asked for after the password, and leads on to the same page', async () => {
  const person = await owner();
  const visitor = await half(person);
  expect(await isSignedIn(visitor)).toBe(false);
  const asked = await askedOf(visitor);
  expect(asked).toMatchObject({ code: null });
  expect(await askedOf(visitor, `${stepPage}&recovery`)).toMatchObject({ code: 'recovery', passkey: null });
  const refused = await step(
    visitor,
    signed(person.device, asked.passkey, { origin: 'https://evil.example' }),
  );
  expect([refused.status, refused.body.result.error['']]).toEqual([400, ['errors.account.passkeyRefused']]);
  expect(JSON.stringify(refused.body)).not.toContain('clientDataJSON');
  const { passkey } = await askedOf(visitor);
  expect((await step(visitor, signed(person.device, passkey))).location).toBe('/items');
  expect(await isSignedIn(visitor)).toBe(true);
  const other = await half(person);
  expect((await step(other, { code: person.recoveryCodes[0] ?? '' })).location).toBe('/items');
});

test('What one browser was asked to sign does not let another one in', async () => {
  const person = await owner();
  const [visitor, thief] = [await half(person), await half(person)];
  const { passkey } = await askedOf(visitor);
  const form = signed(person.device, passkey);
  expect((await step(thief, form)).status).toBe(400);
  expect((await step(visitor, form)).location).toBe('/items');
});

test('After a refused answer a page is read again, for another challenge', () => {
  for (const askAgain of [shouldRevalidate, confirmAgain, removeAgain, appOffAgain, stepAgain]) {
    const refused = { actionStatus: 400, defaultShouldRevalidate: false };
    expect(askAgain(refused as never)).toBe(true);
    expect(askAgain({ ...refused, actionStatus: 200 } as never)).toBe(false);
    expect(askAgain({ ...refused, actionStatus: undefined } as never)).toBe(false);
  }
});

test('Attempts are limited per address', async () => {
  const person = await owner();
  const visitor = await half(person);
  const statuses: number[] = [];
  for (let tried = 0; tried < 11; tried++) {
    const { passkey } = await askedOf(visitor);
    statuses.push((await step(visitor, signed(new PasskeyDevice(), passkey))).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
});

test('A stolen session is confirmed, and a passkey removed, by a second factor alone', async () => {
  const { visitor, device, recoveryCodes } = await owner();
  await confirmedAgo(visitor, 11 * minute);
  const page = '/profile/confirm?to=%2Fprofile';
  const askedToConfirm = async () => (await visitor.call(confirmLoader, page, { guard })).body.asked.passkey;
  const confirm = (form: Record<string, string>) => visitor.call(confirmAction, page, { form, guard });
  expect((await confirm({ current: password })).status).toBe(400);
  expect((await confirm({ code: password })).status).toBe(400);
  expect((await confirm(signed(new PasskeyDevice(), await askedToConfirm()))).status).toBe(400);
  expect((await confirm(signed(device, await askedToConfirm()))).location).toBe('/profile');

  const overview = await visitor.call(overviewLoader, '/profile/second-factor', { guard });
  const id: string = overview.body.passkeys[0].id;
  const removal = `/profile/second-factor/passkeys/${id}/remove`;
  const params = { id };
  const remove = (form: Record<string, string>) =>
    visitor.call(removeAction, removal, { form, params, guard });
  for (const code of [password, '000000']) expect((await remove({ code })).status).toBe(400);
  const { body } = await visitor.call(removeLoader, removal, { params, guard });
  expect(body).toMatchObject({ name: 'Phone', asked: { code: null, passkey: expect.any(String) } });
  expect((await remove({ code: recoveryCodes[0] ?? '' })).toast).toBe('secondFactor.passkeys.removed');
  expect((await remove({ code: recoveryCodes[1] ?? '' })).status).toBe(404);
});

test.each([
  ['http://localhost:3000', { origin: 'http://localhost:3000', rpId: 'localhost', name: 'Keepsake' }],
  [
    'https://keepsake.example',
    { origin: 'https://keepsake.example', rpId: 'keepsake.example', name: 'Keepsake' },
  ],
  ['http://keepsake.example', null],
  ['http://127.0.0.1:3000', null],
  ['https://[::1]:3000', null],
])('At %s passkeys belong to %j', (address, site) => {
  expect(passkeySiteAt(new URL(address))).toEqual(site);
});

/** The way in by a passkey alone: the challenge that a browser gets, and its answer. */
async function askedAlone(visitor: Visitor) {
  const { text } = await visitor.call(challengeLoader, '/auth/passkey', { guard: signedOut });
  return JSON.parse(text) as { challenge: string };
}
const enterAlone = (visitor: Visitor, passkey: object) =>
  visitor.call(signInAction, '/auth/signin?to=%2Fitems', {
    form: { passkey: JSON.stringify(passkey) },
    guard: signedOut,
  });

/** Lists how the new browsers signed in that an address's owner was mailed about. */
const waysMailed = async (recipient: string) =>
  (await (await database()).read.select().from(mails).where(eq(mails.recipient, recipient)))
    .filter(({ values }) => values.change === 'newBrowser')
    .map(({ values }) => values.by);

test('A passkey alone signs in, with no further step, and its challenge works once', async () => {
  const { email, device } = await owner();
  const [{ id = '' } = {}] = await (await database()).read.select().from(users).where(eq(users.email, email));
  const visitor = new Visitor();
  const page = await visitor.call(signInLoader, '/auth/signin', { guard: signedOut });
  expect(page.body).toMatchObject({ canUsePasskey: true });
  expect(visitor.cookieNames()).toEqual([]);
  const asked = await askedAlone(visitor);
  expect(asked).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  expect(asked).not.toHaveProperty('allowCredentials');
  const answer = device.sign(asked, { names: id });
  const copy = new Visitor();
  copy.plant('keepsake_passkey', visitor.cookie('keepsake_passkey') ?? '');
  expect(await enterAlone(visitor, answer)).toMatchObject({ location: '/items' });
  expect(await isSignedIn(visitor)).toBe(true);
  expect(visitor.cookieNames()).not.toContain('keepsake_passkey');
  expect(await waysMailed(email)).toEqual(['passkey']);
  const again = await enterAlone(copy, device.sign(asked, { names: id }));
  expect(again.status).toBe(400);
  expect(again.body.result.error).toEqual({ '': ['errors.account.passkeyRefused'] });
  expect(await isSignedIn(copy)).toBe(false);
});

test('A passkey is accepted only from the browser that was asked, within ten minutes, and a stranger’s like a wrong one', async () => {
  const { email, device } = await owner();
  const [{ id = '' } = {}] = await (await database()).read.select().from(users).where(eq(users.email, email));
  const refusal = { '': ['errors.account.passkeyRefused'] };
  const asked = await askedAlone(new Visitor());
  const elsewhere = new Visitor();
  expect((await enterAlone(elsewhere, device.sign(asked, { names: id }))).body.result.error).toEqual(refusal);
  const own = device.sign(await askedAlone(elsewhere), { names: id, isVerified: false });
  expect((await enterAlone(elsewhere, own)).body.result.error).toEqual(refusal);
  const stranger = new PasskeyDevice().sign(await askedAlone(elsewhere), { names: id });
  expect((await enterAlone(elsewhere, stranger)).body.result.error).toEqual(refusal);
  const late = device.sign(await askedAlone(elsewhere), { names: id });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * minute });
  try {
    expect((await enterAlone(elsewhere, late)).body.result.error).toEqual(refusal);
  } finally {
    vi.useRealTimers();
  }
  expect(await isSignedIn(elsewhere)).toBe(false);
});

test('Sign-ins by passkey from one address count like those by password', async () => {
  const visitor = new Visitor('203.0.113.77');
  const device = new PasskeyDevice();
  for (let tried = 0; tried < 60; tried++)
    await enterAlone(visitor, device.sign({ challenge: 'eA' }, { names: 'x' }));
  const refused = await enterAlone(visitor, device.sign({ challenge: 'eA' }, { names: 'x' }));
  expect(refused.status).toBe(429);
});
