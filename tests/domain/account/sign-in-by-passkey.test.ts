import { expect, test } from 'vitest';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { enterByTwitch } from '#domain/account/twitch/enter-by-twitch.ts';
import { askForNewPasskey } from '#domain/identity/second-factor/passkeys/ask-for-passkey.ts';
import { registerPasskey } from '#domain/identity/second-factor/passkeys/register-passkey.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { signInByPasskey } from '#domain/identity/session/sign-in-by-passkey.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { join, mira, miraOnTwitch, noonMs, otto, vault, viewerGrant } from './people.ts';

const times = { nowMs: noonMs, systemMs: Date.UTC(2026, 10, 23, 12) };
const site = { origin: 'http://localhost:3000', rpId: 'localhost', name: 'Keepsake' };
const refused = { ok: false, code: 'passkeyRefused' };

async function withPasskey(db: TestDatabase, userId: string, device = new PasskeyDevice()) {
  const { token } = await openSession(db, { userId, userAgent: 'first' }, noonMs);
  const asked = await askForNewPasskey(db, { userId, token, email: mira.email, site }, noonMs);
  const made = { userId, currentToken: token, name: 'Phone', response: device.register(asked), site };
  const added = await registerPasskey(db, made, noonMs);
  if (!added.ok) throw new Error(added.code);
  return { userId, device };
}

const enter = (
  db: TestDatabase,
  response: ReturnType<PasskeyDevice['sign']>,
  challenge: string,
  more: object = {},
) => signInByPasskey(db, { response, challenge, site, userAgent: 'second', ...more }, times);

test('A passkey alone signs its owner in: the session is confirmed, and no further step is asked for', async () => {
  await using db = await openTestDatabase();
  const { userId, device } = await withPasskey(db, await join(db, mira));
  const entered = await enter(db, device.sign({ challenge: 'b25l' }, { names: userId }), 'b25l');
  expect(entered).toEqual({ ok: true, userId, token: expect.any(String) });
  const token = entered.ok ? entered.token : '';
  expect(await findSession(db, { token }, noonMs)).toMatchObject({ userId, confirmed: true });
});

test('An account without a password gets a passkey, and is entered by it', async () => {
  await using db = await openTestDatabase();
  const byTwitch = { vault, person: miraOnTwitch, grant: viewerGrant, locale: 'en' } as const;
  const entered = await enterByTwitch(db, byTwitch, noonMs);
  const { userId, device } = await withPasskey(db, entered.ok ? entered.userId : '');
  const response = device.sign({ challenge: 'b25l' }, { names: userId });
  expect(await enter(db, response, 'b25l')).toMatchObject({ ok: true, userId });
});

test('Each challenge is good for one answer, right or wrong, also of two at once', async () => {
  await using db = await openTestDatabase();
  const { userId, device } = await withPasskey(
    db,
    await join(db, mira),
    new PasskeyDevice({ counts: false }),
  );
  const names = { names: userId };
  const both = [1, 2].map(() => enter(db, device.sign({ challenge: 'b25l' }, names), 'b25l'));
  expect((await Promise.all(both)).map(({ ok }) => ok).sort()).toEqual([false, true]);
  const wrong = device.sign({ challenge: 'dHdv' }, { ...names, isVerified: false });
  expect(await enter(db, wrong, 'dHdv')).toEqual(refused);
  expect(await enter(db, device.sign({ challenge: 'dHdv' }, names), 'dHdv')).toEqual(refused);
  expect(await enter(db, device.sign({ challenge: 'dGhyZWU' }, names), 'dGhyZWU')).toMatchObject({
    ok: true,
  });
});

test('Whatever is wrong with an answer gets the same refusal', async () => {
  await using db = await openTestDatabase();
  const { userId, device } = await withPasskey(db, await join(db, mira));
  const ottoId = await join(db, otto);
  const stranger = new PasskeyDevice();
  let count = 0;
  const attempt = (deviation: object, by = device) => {
    const challenge = Buffer.from(`challenge ${++count}`).toString('base64url');
    return enter(db, by.sign({ challenge }, { names: userId, ...deviation }), challenge);
  };
  expect(await attempt({}, stranger)).toEqual(refused);
  expect(await attempt({ isVerified: false })).toEqual(refused);
  expect(await attempt({ isPresent: false })).toEqual(refused);
  expect(await attempt({ rpId: 'example.org' })).toEqual(refused);
  expect(await attempt({ origin: 'http://localhost:3001' })).toEqual(refused);
  expect(await attempt({ signer: stranger })).toEqual(refused);
  expect(await attempt({ names: ottoId })).toEqual(refused);
  expect(await attempt({ names: undefined })).toEqual(refused);
  const other = device.sign({ challenge: 'b3RoZXI' }, { names: userId });
  expect(await enter(db, other, 'bWluZQ')).toEqual(refused);
  expect(await attempt({ counter: 40 })).toMatchObject({ ok: true });
  expect(await attempt({ counter: 40 })).toEqual(refused);
  expect(await attempt({ counter: 39 })).toEqual(refused);
  expect(await attempt({ counter: 41 })).toMatchObject({ ok: true });
});

test('A sign-in replaces the session before, and a deleted account is entered by nobody', async () => {
  await using db = await openTestDatabase();
  const byTwitch = { vault, person: miraOnTwitch, grant: viewerGrant, locale: 'en' } as const;
  const entered = await enterByTwitch(db, byTwitch, noonMs);
  const { userId, device } = await withPasskey(db, entered.ok ? entered.userId : '');
  const before = await openSession(db, { userId, userAgent: 'second' }, noonMs);
  const response = device.sign({ challenge: 'b25l' }, { names: userId });
  expect(await enter(db, response, 'b25l', { replaces: before.token })).toMatchObject({ ok: true });
  expect(await findSession(db, before, noonMs)).toBeNull();
  expect(await deleteAccount(db, { vault, userId, proof: mira.email }, noonMs)).toMatchObject({ ok: true });
  expect(await enter(db, device.sign({ challenge: 'dHdv' }, { names: userId }), 'dHdv')).toEqual(refused);
});
