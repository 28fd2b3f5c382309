import { expect, test } from 'vitest';
import { tryAccount } from '#bot/steam/try-account.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { connect, serveWorld } from '#tests/sandbox/steam/stage.ts';
import { until } from '#tests/support/steam-stage.ts';

/** A served world and the two kinds of entries for its bot. */
async function stageWithBot() {
  const stage = await serveWorld();
  const refreshToken = issueToken(stage.world.state, stage.bot, 'refresh');
  const { identitySecret } = stage.login;
  const proxy = stage.steam.proxyUrl;
  const byToken = { name: 'bot-1', refreshToken, identitySecret };
  const byPassword = { name: 'bot-1', ...stage.login };
  return { ...stage, proxy, byToken, byPassword };
}

test('A trial logs on beside the session of a bot, which goes on, and logs off', async () => {
  const { world, bot, byToken, proxy, log } = await stageWithBot();
  const client = connect(proxy);
  await client.logOn({ refreshToken: byToken.refreshToken });
  const errors: Error[] = [];
  client.user.on('error', (error) => errors.push(error));
  expect(await tryAccount({ credentials: byToken, proxy })).toEqual({
    ok: true,
    report: {
      steamId: bot.steamId,
      isIdentityAccepted: true,
      authenticatorSinceMs: expect.any(Number),
      isLimited: false,
      isLocked: false,
      isTradeBanned: false,
      // Steam renewed no token, which could end the one in use.
      refreshToken: null,
    },
  });
  expect(log.filter((line) => line.includes('logged on'))).toHaveLength(2);
  expect(errors).toEqual([]);
  client.user.logOff();
  await until(() => !world.isConnected(bot.steamId), 'nobody logged on');
});

test('A trial by password and code brings a token, with which the next one needs no code', async () => {
  const { byPassword, proxy } = await stageWithBot();
  const first = await tryAccount({ credentials: byPassword, proxy });
  const refreshToken = first.ok ? first.report.refreshToken : null;
  expect(refreshToken).toEqual(expect.any(String));
  const wrong = { ...byPassword, password: 'wrong' };
  expect(await tryAccount({ credentials: wrong, proxy })).toEqual({ ok: false, fault: 'credentialsRefused' });
  const next = await tryAccount({ credentials: wrong, refreshToken: refreshToken ?? '', proxy });
  expect(next).toMatchObject({ ok: true, report: { refreshToken: null } });
});

test('What Steam refuses is told apart from what it does not answer', async () => {
  const { world, bot, byToken, byPassword, proxy } = await stageWithBot();
  const other = Buffer.alloc(20, 7).toString('base64');
  const faultOf = async (credentials: typeof byToken | typeof byPassword, deadlineMs?: number) => {
    const outcome = await tryAccount({ credentials, proxy, ...(deadlineMs && { deadlineMs }) });
    return outcome.ok ? null : outcome.fault;
  };
  expect(await faultOf({ ...byPassword, sharedSecret: other })).toBe('guardCodeRefused');
  expect(await faultOf(byToken, 1)).toBe('steamUnavailable');
  const wrong = await tryAccount({ credentials: { ...byToken, identitySecret: other }, proxy });
  expect(wrong).toMatchObject({ ok: true, report: { isIdentityAccepted: false } });
  world.pushFault({ target: 'confirmations', when: 'before', effect: { kind: 'status', status: 500 } });
  const silent = await tryAccount({ credentials: byToken, proxy });
  expect(silent).toMatchObject({ ok: true, report: { isIdentityAccepted: null } });
  world.killRefreshTokens(bot.steamId);
  expect(await faultOf(byToken)).toBe('credentialsRefused');
});

test('Whoever leaves does not wait for the log-on', async () => {
  const { byToken, proxy } = await stageWithBot();
  const outcome = await tryAccount({ credentials: byToken, proxy, signal: AbortSignal.abort() });
  expect(outcome).toEqual({ ok: false, fault: 'steamUnavailable' });
});
