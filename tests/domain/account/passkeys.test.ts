import { eq } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { passkeyChallenges, passkeys, recoveryCodes } from '#db/schema/second-factor.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { beginAuthenticator, findSetup } from '#domain/identity/second-factor/begin-authenticator.ts';
import { enableAuthenticator } from '#domain/identity/second-factor/enable-authenticator.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { askForNewPasskey, askForPasskey } from '#domain/identity/second-factor/passkeys/ask-for-passkey.ts';
import { MAX_PASSKEYS, registerPasskey } from '#domain/identity/second-factor/passkeys/register-passkey.ts';
import { removePasskey } from '#domain/identity/second-factor/passkeys/remove-passkey.ts';
import { removeAuthenticator } from '#domain/identity/second-factor/remove-authenticator.ts';
import { removeSecondFactor } from '#domain/identity/second-factor/remove-second-factor.ts';
import { totpAt } from '#domain/identity/second-factor/totp.ts';
import { completeSignIn } from '#domain/identity/session/complete-sign-in.ts';
import { confirmBySecondFactor } from '#domain/identity/session/confirm-identity.ts';
import { findSession } from '#domain/identity/session/find-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { signIn } from '#domain/identity/session/sign-in.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { join, mira, noonMs, vault } from './people.ts';

const systemMs = Date.UTC(2026, 10, 23, 12);
const times = { nowMs: noonMs, systemMs };
const password = 'a short sentence';
const browser = { userAgent: 'test' };
const site = { origin: 'http://localhost:3000', rpId: 'localhost', name: 'Keepsake' };
const wrong = { ok: false, code: 'secondFactorWrong' };
const refused = { ok: false, code: 'passkeyRefused' };

afterEach(() => vi.restoreAllMocks());

async function person(db: TestDatabase, email: string = mira.email) {
  const userId = await join(db, { ...mira, email, passwordHash: await hashPassword(password) });
  const { token } = await openSession(db, { userId, ...browser }, noonMs);
  return { userId, token, email };
}
type Person = Awaited<ReturnType<typeof person>>;

const askNew = (db: TestDatabase, { userId, token, email }: Person, nowMs = noonMs) =>
  askForNewPasskey(db, { userId, token, email, site }, nowMs);

async function add(db: TestDatabase, owner: Person, device = new PasskeyDevice(), name = 'Phone') {
  const response = device.register(await askNew(db, owner));
  const { userId, token: currentToken } = owner;
  return registerPasskey(db, { userId, currentToken, name, response, site }, noonMs);
}

/** Somebody whose one second factor is a passkey. */
async function protectedPerson(db: TestDatabase, options = {}) {
  const owner = await person(db);
  const device = new PasskeyDevice(options);
  const added = await add(db, owner, device);
  if (!added.ok || !added.recoveryCodes) throw new Error('not added');
  return { ...owner, device, codes: added.recoveryCodes };
}

async function ask(db: TestDatabase, { userId, token }: Pick<Person, 'userId' | 'token'>, nowMs = noonMs) {
  const asked = await askForPasskey(db, { userId, token, site }, nowMs);
  if (!asked) throw new Error('no passkey');
  return asked;
}

async function pendingOf(db: TestDatabase): Promise<string> {
  const begun = await signIn(db, { email: mira.email, password, ...browser }, noonMs);
  if (!begun.ok || begun.step !== 'secondFactor') throw new Error('no second step');
  return begun.pendingToken;
}

const changesMailed = async (db: TestDatabase) =>
  (await db.read.select().from(mails).where(eq(mails.template, 'accountChanged'))).map(
    ({ values }) => values.change,
  );

test('A first passkey protects the account: recovery codes, other browsers signed out, a mail', async () => {
  await using db = await openTestDatabase();
  const owner = await person(db);
  const elsewhere = await openSession(db, { userId: owner.userId, ...browser }, noonMs);
  const device = new PasskeyDevice();
  const added = await add(db, owner, device);
  expect(added).toMatchObject({ ok: true, recoveryCodes: expect.any(Array) });
  expect(await findSession(db, elsewhere, noonMs)).toBeNull();
  expect(await findSession(db, owner, noonMs)).not.toBeNull();
  expect((await getAccount(db, owner))?.hasSecondFactor).toBe(true);
  expect(await getSecondFactor(db.read, owner)).toEqual({
    authenticatorAtMs: null,
    passkeys: [{ id: expect.any(String), name: 'Phone', createdAtMs: noonMs, lastUsedAtMs: null }],
    recoveryCodesLeft: 10,
  });
  expect(await changesMailed(db)).toEqual(['passkeyAdded']);

  const again = await openSession(db, { userId: owner.userId, ...browser }, noonMs);
  expect((await askNew(db, owner)).excludeCredentials).toEqual([
    expect.objectContaining({ id: device.id.toString('base64url'), transports: ['hybrid', 'internal'] }),
  ]);
  expect(await add(db, owner, device)).toEqual({ ok: false, code: 'passkeyKnown' });
  expect(await add(db, owner, new PasskeyDevice(), 'Key')).toEqual({ ok: true, recoveryCodes: null });
  expect(await findSession(db, again, noonMs)).not.toBeNull();
  expect((await getSecondFactor(db.read, owner)).passkeys.map(({ name }) => name)).toEqual(['Phone', 'Key']);
});

test('A passkey that another account has is not added to this one', async () => {
  await using db = await openTestDatabase();
  const { device } = await protectedPerson(db);
  const thief = await person(db, 'other@example.org');
  expect(await add(db, thief, device)).toEqual({ ok: false, code: 'passkeyKnown' });
  expect((await getAccount(db, thief))?.hasSecondFactor).toBe(false);
});

test('A passkey is added only for this session’s challenge, once, within ten minutes, on this site, and by somebody present', async () => {
  await using db = await openTestDatabase();
  const owner = await person(db);
  const { token: otherToken } = await openSession(db, { userId: owner.userId, ...browser }, noonMs);
  const register = (
    response: ReturnType<PasskeyDevice['register']>,
    { currentToken = owner.token, nowMs = noonMs } = {},
  ) => registerPasskey(db, { userId: owner.userId, currentToken, name: 'Phone', response, site }, nowMs);
  const device = new PasskeyDevice();
  expect(await register(device.register({ challenge: 'made up' }))).toEqual(refused);
  expect(await register(device.register(await askNew(db, owner)), { currentToken: otherToken })).toEqual(
    refused,
  );
  expect(await register(device.register(await askNew(db, owner)), { nowMs: noonMs + 10 * minute })).toEqual(
    refused,
  );
  for (const deviation of [
    { origin: 'http://localhost:3001' },
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isPresent: false },
  ])
    expect(await register(device.register(await askNew(db, owner), deviation))).toEqual(refused);
  const first = device.register(await askNew(db, owner));
  await askNew(db, owner);
  expect(await register(first)).toEqual(refused);
  const used = await askNew(db, owner);
  expect(await register(device.register(used, { isPresent: false }))).toEqual(refused);
  expect(await register(device.register(used))).toEqual(refused);
  expect(await db.read.$count(passkeys)).toBe(0);
  const right = device.register(await askNew(db, owner));
  expect(await register(right)).toMatchObject({ ok: true });
  expect(await register(right)).toEqual(refused);
});

test('An answer with a certificate is refused before its addresses are asked', async () => {
  await using db = await openTestDatabase();
  const owner = await person(db);
  const asked = vi.spyOn(globalThis, 'fetch');
  const certificate = new Uint8Array([0x30, 0x03, 0x02, 0x01, 0x01]);
  for (const format of ['packed', 'fido-u2f', 'tpm', 'android-key', 'apple', 'unheard of']) {
    const statement = new Map<string, unknown>([['x5c', [certificate]]]);
    const response = new PasskeyDevice().register(await askNew(db, owner), {}, [format, statement]);
    const made = { userId: owner.userId, currentToken: owner.token, name: 'Phone', response, site };
    expect(await registerPasskey(db, made, noonMs)).toEqual(refused);
  }
  expect(asked).not.toHaveBeenCalled();
});

test('An account has at most twenty passkeys', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const row = { userId: owner.userId, name: 'Key', publicKey: '', counter: 0, createdAtMs: noonMs };
  await db.transaction(async (tx) => {
    for (let count = 1; count < MAX_PASSKEYS; count++)
      await tx.insert(passkeys).values({ ...row, id: newId(noonMs), credentialId: `made${count}` });
  });
  expect(await add(db, owner, new PasskeyDevice())).toEqual({ ok: false, code: 'tooManyPasskeys' });
});

test('A passkey completes a sign-in and confirms a session, and its use is recorded', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const pendingToken = await pendingOf(db);
  const asked = await ask(db, { userId: owner.userId, token: pendingToken });
  expect(asked).toMatchObject({ rpId: 'localhost', userVerification: 'preferred' });
  expect(asked.allowCredentials?.map(({ id }) => id)).toEqual([owner.device.id.toString('base64url')]);
  const passkey = { response: owner.device.sign(asked), token: pendingToken, site };
  const completed = await completeSignIn(db, { pendingToken, passkey, ...browser }, times);
  expect(completed).toMatchObject({ ok: true, userId: owner.userId });
  expect(await completeSignIn(db, { pendingToken, passkey, ...browser }, times)).toEqual({
    ok: false,
    code: 'signInExpired',
  });

  const response = owner.device.sign(await ask(db, owner));
  const laterMs = noonMs + minute;
  const confirmed = await confirmBySecondFactor(
    db,
    { ...owner, passkey: { response, token: owner.token, site } },
    { nowMs: laterMs, systemMs },
  );
  expect(confirmed).toMatchObject({ ok: true });
  expect(await findSession(db, owner, laterMs)).toBeNull();
  expect((await getSecondFactor(db.read, owner)).passkeys).toMatchObject([{ lastUsedAtMs: laterMs }]);
});

test('A signature counts for its challenge, browser, site, account and key only', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const { device, userId, token } = owner;
  const stranger = new PasskeyDevice();
  const prove = (response: ReturnType<PasskeyDevice['sign']>, nowMs = noonMs, by = token) =>
    confirmBySecondFactor(db, { userId, token, passkey: { response, token: by, site } }, { nowMs, systemMs });
  expect(await prove(device.sign({ challenge: 'made up' }))).toEqual(wrong);
  expect(await prove(device.sign(await ask(db, owner)), noonMs + 10 * minute)).toEqual(wrong);
  expect(await prove(device.sign(await ask(db, owner)), noonMs, 'another browser')).toEqual(wrong);
  for (const deviation of [
    { origin: 'https://evil.example' },
    { origin: 'http://localhost' },
    { rpId: 'evil.example' },
    { isPresent: false },
    { signer: stranger },
  ])
    expect(await prove(device.sign(await ask(db, owner), deviation))).toEqual(wrong);
  expect(await prove(stranger.sign(await ask(db, owner)))).toEqual(wrong);
  const other = await person(db, 'other@example.org');
  await add(db, other, stranger);
  expect(await prove(stranger.sign(await ask(db, owner)))).toEqual(wrong);
  // A challenge for a new passkey is none for a signature.
  expect(await prove(device.sign(await askNew(db, owner)))).toEqual(wrong);
  const right = device.sign(await ask(db, owner));
  expect(await prove(right)).toMatchObject({ ok: true });
  expect(await prove(right)).toEqual(wrong);
});

test('A wrong answer uses its challenge up', async () => {
  await using db = await openTestDatabase();
  const { device, userId, token } = await protectedPerson(db);
  const asked = await ask(db, { userId, token });
  const prove = (response: ReturnType<PasskeyDevice['sign']>) =>
    confirmBySecondFactor(db, { userId, token, passkey: { response, token, site } }, times);
  expect(await prove(device.sign(asked, { isPresent: false }))).toEqual(wrong);
  expect(await prove(device.sign(asked))).toEqual(wrong);
});

test('A counter that does not grow is that of a copy; a passkey that does not count always says 0', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const prove = async (device: PasskeyDevice, deviation = {}) => {
    const { userId, token } = owner;
    const response = device.sign(await ask(db, owner), deviation);
    const proven = { userId, token, passkey: { response, token, site } };
    const confirmed = await confirmBySecondFactor(db, proven, times);
    if (!confirmed.ok) return confirmed;
    owner.token = confirmed.token;
    return { ok: true };
  };
  expect(await prove(owner.device, { counter: 5 })).toEqual({ ok: true });
  for (const counter of [5, 4, 0]) expect(await prove(owner.device, { counter })).toEqual(wrong);
  expect(await prove(owner.device, { counter: 6 })).toEqual({ ok: true });
  const synchronized = new PasskeyDevice({ counts: false });
  await add(db, owner, synchronized);
  for (const _ of [1, 2]) expect(await prove(synchronized)).toEqual({ ok: true });
});

test('Of two answers at once with one counter one succeeds', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const tokens = await Promise.all([pendingOf(db), pendingOf(db)]);
  const proofs = [];
  for (const token of tokens) {
    const response = owner.device.sign(await ask(db, { userId: owner.userId, token }), { counter: 9 });
    proofs.push({ pendingToken: token, passkey: { response, token, site }, ...browser });
  }
  const outcomes = await Promise.all(proofs.map((proof) => completeSignIn(db, proof, times)));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  expect(outcomes.filter(({ ok }) => !ok)).toEqual([wrong]);
});

test('A passkey is removed by any second factor; with the last one the second factor ends', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const { userId, token, codes } = owner;
  await beginAuthenticator(db, { userId, currentToken: token }, noonMs);
  const key = new PasskeyDevice();
  await add(db, owner, key, 'Key');
  const [first, second] = (await getSecondFactor(db.read, owner)).passkeys;
  const remove = (passkeyId: string, code: string) => removePasskey(db, { userId, passkeyId, code }, times);
  expect(await remove(first?.id ?? '', '000000')).toEqual(wrong);
  expect(await remove(newId(noonMs), codes[0] ?? '')).toEqual({ ok: false, code: 'passkeyUnknown' });
  const other = await person(db, 'other@example.org');
  expect(
    await removePasskey(
      db,
      { userId: other.userId, passkeyId: first?.id ?? '', code: codes[0] ?? '' },
      times,
    ),
  ).toEqual({ ok: false, code: 'passkeyUnknown' });
  expect(await remove(first?.id ?? '', codes[0] ?? '')).toEqual({ ok: true });
  expect((await getAccount(db, owner))?.hasSecondFactor).toBe(true);

  const response = key.sign(await ask(db, owner));
  const proof = { userId, passkeyId: second?.id ?? '', passkey: { response, token, site } };
  expect(await removePasskey(db, proof, times)).toEqual({ ok: true });
  expect((await getAccount(db, owner))?.hasSecondFactor).toBe(false);
  expect(await db.read.$count(recoveryCodes)).toBe(0);
  expect(await askForPasskey(db, { userId, token, site }, noonMs)).toBeNull();
  expect((await changesMailed(db)).slice(-1)).toEqual(['passkeyRemoved']);
});

test('An app beside a passkey can be turned off by the passkey, and the passkey still protects', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  const { userId, token } = owner;
  await beginAuthenticator(db, { userId, currentToken: token }, noonMs);
  const setup = await findSetup(db.read, { userId, currentToken: token }, noonMs);
  const code = totpAt(setup?.secret ?? '', systemMs);
  expect(await enableAuthenticator(db, { userId, code, currentToken: token }, times)).toEqual({
    ok: true,
    recoveryCodes: null,
  });
  const response = owner.device.sign(await ask(db, owner));
  const proof = { userId, passkey: { response, token, site } };
  expect(await removeAuthenticator(db, proof, times)).toEqual({ ok: true });
  expect(await getSecondFactor(db.read, owner)).toMatchObject({
    authenticatorAtMs: null,
    recoveryCodesLeft: 10,
  });
  expect((await getAccount(db, owner))?.hasSecondFactor).toBe(true);
});

test('Challenges are pruned; passkeys end with the operator’s help and with the account, and the export names them without keys', async () => {
  await using db = await openTestDatabase();
  const owner = await protectedPerson(db);
  await ask(db, owner);
  await askNew(db, owner);
  await pruneAccess(db, noonMs + 9 * minute, systemMs);
  expect(await db.read.$count(passkeyChallenges)).toBe(2);
  await pruneAccess(db, noonMs + 11 * minute, systemMs);
  expect(await db.read.$count(passkeyChallenges)).toBe(0);

  const exported = JSON.stringify(await exportAccount(db, owner, noonMs));
  expect(exported).toContain('"name":"Phone"');
  const [stored] = await db.read.select().from(passkeys);
  expect(exported).not.toContain(stored?.publicKey ?? '');

  expect(await removeSecondFactor(db, { email: mira.email }, noonMs)).toMatchObject({ ok: true });
  expect(await db.read.$count(passkeys)).toBe(0);
  const { token } = await openSession(db, { userId: owner.userId, ...browser }, noonMs);
  await add(db, { ...owner, token });
  await deleteAccount(db, { vault, userId: owner.userId, proof: password }, noonMs);
  expect(await db.read.$count(passkeys)).toBe(0);
});
