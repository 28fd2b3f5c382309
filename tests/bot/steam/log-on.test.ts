import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { steamErrors } from '#bot/metrics.ts';
import { botReady, measureParts } from '#bot/part-metrics.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { bots } from '#db/schema/bot.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botRow, hurriedPace, type SteamStage, setSteamStage, until } from '#tests/support/steam-stage.ts';

function startWith(stage: SteamStage, ...credentials: SteamCredentials[]) {
  const part = startSteam(stage.deps(credentials), hurriedPace);
  onTestFinished(() => part.stop());
  return part;
}

const passwordOf = ({ login }: SteamStage): SteamCredentials => ({
  name: 'bot-1',
  accountName: login.accountName,
  password: login.password,
  sharedSecret: login.sharedSecret,
  identitySecret: login.identitySecret,
});

test('A bot logs on with password and code, and stores its new token encrypted for the next time', async () => {
  const stage = await setSteamStage();
  const part = startWith(stage, passwordOf(stage));
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  const { refreshTokenSealed } = await botRow(stage);
  const token = stage.deps().vault.open(refreshTokenSealed ?? '', 'bot:bot-1');
  expect(readRefreshToken(token, Date.now())).toMatchObject({ ok: true, steamId: stage.bot.steamId });
  expect(refreshTokenSealed).not.toContain(token.slice(0, 20));
  await part.stop();

  // With a wrong password, only the stored token can log on.
  const again = startWith(stage, { ...passwordOf(stage), password: 'wrong' } as SteamCredentials);
  await until(() => again.report().steam?.state === 'ready', 'the bot again');
});

test('A password that stays wrong breaks its bot', async () => {
  const stage = await setSteamStage();
  const part = startWith(stage, { ...passwordOf(stage), password: 'wrong' } as SteamCredentials);
  await until(async () => {
    const [row] = await stage.db.read.select().from(bots).where(eq(bots.id, 'bot-1'));
    return row?.state === 'broken';
  }, 'a broken bot');
  expect(await botRow(stage)).toMatchObject({ fault: 'credentialsRefused' });
  expect(part.report().steam?.state).toBe('faulty');
});

test('An invalid token breaks its bot only, and both are measured', async () => {
  const stage = await setSteamStage();
  const failures = async () =>
    (await steamErrors.get()).values.find(({ labels }) => labels.code === 'tokenUnreadable')?.value ?? 0;
  const before = await failures();
  const part = startWith(
    stage,
    { ...stage.credentials, name: 'bot-0', refreshToken: 'nonsense' },
    stage.credentials,
  );
  const checkLink = () =>
    part.readiness({ userId: 'viewer', steamId: stage.viewer.steamId, tradeToken: 'tokenABC' });
  expect(part.report().steam?.state).toBe('starting');
  expect(await checkLink()).toMatchObject({ ok: false, code: 'steamUnavailable' });
  await until(() => part.report()['steam: bot-1']?.state === 'ready', 'the good bot');
  await until(() => part.report()['steam: bot-0']?.detail === 'tokenUnreadable', 'the bad bot');
  expect(part.report().steam?.state).toBe('ready');
  expect(await checkLink()).toMatchObject({ ok: true });
  expect(await failures()).toBe(before + 1);
  measureParts(part.report());
  const { values } = await botReady.get();
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.bot, value]))).toEqual({
    'bot-0': 0,
    'bot-1': 1,
  });
});

test('A refusal that was wrong is retried', async () => {
  const stage = await setSteamStage();
  const refused = async () =>
    (await steamErrors.get()).values.find(({ labels }) => labels.code === 'credentialsRefused')?.value ?? 0;
  const before = await refused();
  for (let refusals = 0; refusals < 2; refusals += 1) stage.world.pushFault('logOnRefused');
  const part = startWith(stage, stage.credentials);
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  expect(stage.world.faults()).toEqual([]);
  expect(await refused()).toBe(before + 2);
  expect(await botRow(stage)).toMatchObject({ state: 'ready', fault: null });
});

test('Another Steam account under the name of a known bot is refused', async () => {
  const stage = await setSteamStage();
  const part = startWith(stage, stage.credentials);
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  await until(async () => (await botRow(stage)).state === 'ready', 'its account on record');
  await part.stop();
  // A token that Steam renewed for the first account would still log it on.
  await stage.db.transaction(async (tx) => {
    await tx.update(bots).set({ refreshTokenSealed: null });
  });
  const other = stage.world.addUser({ name: 'Other bot', login: stage.login });
  startWith(stage, {
    ...stage.credentials,
    refreshToken: issueToken(stage.world.state, other, 'refresh'),
  } as SteamCredentials);
  await until(async () => (await botRow(stage)).state === 'broken', 'a refused bot');
  expect(await botRow(stage)).toMatchObject({ fault: 'otherAccount', steamId: stage.bot.steamId });
});

test('A password is proven with a code of Steam’s time, not of this machine’s', async () => {
  const stage = await setSteamStage({ steamAheadMs: 2 * hour });
  const part = startWith(stage, passwordOf(stage));
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
});

test('A revoked token breaks its bot with a reason', async () => {
  const stage = await setSteamStage();
  stage.world.killRefreshTokens(stage.bot.steamId);
  const part = startWith(stage, stage.credentials);
  await until(() => part.report().steam?.state === 'faulty', 'the fault');
  await until(async () => (await botRow(stage)).state === 'broken', 'a broken bot');
  expect(await botRow(stage)).toMatchObject({ fault: 'credentialsRefused' });
});

const token = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
const good = { iss: 'steam', sub: '76561198000000001', aud: ['client', 'derive'], exp: 2_000_000_000 };
const NOW_MS = 1_700_000_000_000;
const tokens: [what: string, text: string, fault: string][] = [
  ['without its parts', 'nonsense', 'tokenUnreadable'],
  ['of nobody', token({ ...good, sub: '1' }), 'tokenUnreadable'],
  ['of a longer id', token({ ...good, sub: `${good.sub}1` }), 'tokenUnreadable'],
  ['of a quoted id', token({ ...good, sub: `id ${good.sub}` }), 'tokenUnreadable'],
  ['of an id with letters', token({ ...good, sub: '7656119800000000x' }), 'tokenUnreadable'],
  ['of another issuer', token({ ...good, iss: 'r:000E' }), 'tokenWrongKind'],
  ['for the web', token({ ...good, aud: ['web'] }), 'tokenWrongKind'],
  ['that is no refresh token', token({ ...good, aud: ['client'] }), 'tokenWrongKind'],
  ['for no client', token({ ...good, aud: ['derive'] }), 'tokenWrongKind'],
  ['that has expired', token({ ...good, exp: NOW_MS / 1000 }), 'tokenExpired'],
];
test.each(tokens)('A refresh token %s is refused before Steam sees it', (_what, text, fault) => {
  expect(readRefreshToken(text, NOW_MS)).toEqual({ ok: false, fault });
});

test('A good refresh token tells whose it is, and until when', () => {
  const expiresAtMs = 2_000_000_000_000;
  const read = { ok: true, steamId: '76561198000000001', expiresAtMs };
  expect(readRefreshToken(token(good), NOW_MS)).toEqual(read);
  expect(readRefreshToken(token(good), expiresAtMs - 1)).toEqual(read);
});

test('A pause that Steam imposes on log-ons goes on after a restart, and grows from there', async () => {
  const stage = await setSteamStage();
  const limited = { kind: 'result', eresult: 84 } as const;
  stage.world.pushFault({ target: 'logOn', when: 'before', effect: limited, times: 9 });
  const part = startWith(stage, stage.credentials);
  await until(() => part.report()['steam: bot-1']?.detail === 'loginsLimited', 'the pause');
  await until(async () => (await botRow(stage)).logOnPauseMs > 0, 'the stored pause');
  await part.stop();
  expect(await botRow(stage)).toMatchObject({ fault: 'loginsLimited', logOnPauseMs: 30 * minute });

  const again = startWith(stage, stage.credentials);
  await until(
    () => again.report()['steam: bot-1']?.detail === 'loginsLimited',
    'the pause after the restart',
  );
  await again.stop();
  expect(stage.world.faults()[0]?.remaining).toBe(8);

  await stage.db.transaction(async (tx) => {
    await tx.update(bots).set({ logOnPausedAtMs: Date.now() - 30 * minute });
  });
  startWith(stage, stage.credentials);
  await until(async () => (await botRow(stage)).logOnPauseMs > 30 * minute, 'a longer pause');
  expect(await botRow(stage)).toMatchObject({ logOnPauseMs: 60 * minute, logOnFailures: 2 });
  expect(stage.world.faults()[0]?.remaining).toBe(7);
});

test('A refresh token in its last month is renewed, however long its bot has been logged on', async () => {
  const stage = await setSteamStage();
  const tokenOf = async () => {
    const { refreshTokenSealed } = await botRow(stage);
    return refreshTokenSealed === null ? '' : stage.deps().vault.open(refreshTokenSealed, 'bot:bot-1');
  };
  const part = startWith(stage, stage.credentials);
  await until(() => part.report().steam?.state === 'ready', 'a ready bot');
  const first = await until(tokenOf, 'the first token');
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  passTime(171 * day);
  let renewed = first;
  while (renewed === first) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    renewed = await tokenOf();
  }
  expect(readRefreshToken(renewed, Date.now())).toMatchObject({ ok: true });
});
