import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '#bot/log.ts';
import { readMetrics } from '#bot/metrics.ts';
import { build } from '#bot/server.ts';
import { startSteam } from '#bot/steam/start-steam.ts';
import { watchDisk } from '#bot/watch-disk.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { recordBackupStatus } from '#platform/backup-status.ts';
import {
  askForDeposit,
  hat,
  hurriedPace,
  rifle,
  type SteamStage,
  botSecret as secret,
  setSteamStage,
  startBot,
  transferIn,
} from '#tests/support/steam-stage.ts';

/** Twitch answers for this channel only. */
const channelId = '5001';
const twitch = { leaveChannel: async (asked: string) => asked === channelId };

async function serve(stage: SteamStage, { withBots = true, databaseUrl = null as string | null } = {}) {
  const deps = stage.deps();
  const steam = withBots ? await startBot(stage) : startSteam(stage.deps([]), hurriedPace);
  const config = { ...deps.config, databaseUrl };
  const server = build({ ...deps, config, steam, twitch, parts: [steam] });
  onTestFinished(() => server.close());
  return knowing(server, config.secret);
}

/** The API for a caller who knows its secret. */
const knowing = (server: FastifyInstance, secret: string) => ({
  inject(asked: string | (InjectOptions & { headers?: Record<string, string> })) {
    const { headers, ...request } = typeof asked === 'string' ? { url: asked } : asked;
    return server.inject({ ...request, headers: { 'x-bot-secret': secret, ...headers } });
  },
  injectAsStranger: (asked: InjectOptions) => server.inject(asked),
});

test('Readiness reports the database and every bot', async () => {
  const server = await serve(await setSteamStage());
  const answer = await server.inject('/readyz');
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({
    ready: true,
    parts: { database: { state: 'ready' }, steam: { state: 'ready' }, 'steam: bot-1': { state: 'ready' } },
    custody: {
      'bot-1': { drifts: 0, unknownAssets: 0, missingItems: 0, doubtfulTransfers: 0, stuckTransfers: 0 },
    },
    sendingStopped: null,
    backups: { backup: null, drill: null },
  });
  expect((await server.inject('/healthz')).json()).toEqual({ ok: true });
});

test('A disk that is full is named by readiness, and measured', async () => {
  const stage = await setSteamStage();
  const deps = stage.deps();
  const config = { ...deps.config, metricsToken: 'a token of more than 32 characters' };
  let freeBytes = 2 ** 40;
  const disk = watchDisk({ config }, () => freeBytes);
  const steam = startSteam(stage.deps([]), hurriedPace);
  const built = build({ ...deps, config, steam, twitch, parts: [steam, disk] });
  onTestFinished(() => built.close());
  const server = knowing(built, config.secret);
  expect((await server.inject('/readyz')).json().parts.disk).toEqual({ state: 'ready' });
  freeBytes = 12 * 2 ** 20;
  const full = await server.inject('/readyz');
  expect([full.statusCode, full.json().parts.disk]).toEqual([
    503,
    { state: 'faulty', detail: `the disk is full: 12 MiB left in ${stage.folder}` },
  ]);
  const headers = { authorization: `Bearer ${config.metricsToken}` };
  const measured = (await server.inject({ url: '/metrics', headers })).body;
  expect(measured).toContain('keepsake_part_ready{part="disk"} 0');
  expect(measured).toMatch(/^keepsake_disk_free_bytes\{folder="data"\} [1-9]/m);
  expect(measured).toMatch(/^keepsake_database_bytes [1-9]/m);
  expect(measured).toContain('keepsake_database_writable 1');
});

test('The deep health check and readiness fail while the database takes no row', async () => {
  const stage = await setSteamStage();
  const deps = stage.deps();
  const refused = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  const db = { ...deps.db, transaction: () => Promise.reject(refused) };
  const steam = startSteam(stage.deps([]), hurriedPace);
  const full = build({ ...deps, db, steam, twitch, parts: [steam] });
  const roomy = build({ ...deps, steam, twitch, parts: [steam] });
  onTestFinished(() => full.close().then(() => roomy.close()));
  const deep = '/healthz?deep';
  expect([(await roomy.inject(deep)).statusCode, (await full.inject(deep)).statusCode]).toEqual([200, 503]);
  expect((await full.inject('/healthz')).statusCode).toBe(200);
  const ready = await knowing(full, deps.config.secret).inject('/readyz');
  expect([ready.statusCode, ready.json().parts.database]).toEqual([
    503,
    { state: 'faulty', detail: 'it takes no row (SQLITE_FULL)' },
  ]);
});

test('Readiness and the measurements say since when sending is stopped', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage, { withBots: false });
  const { db, clock } = stage.deps();
  const measured = async () =>
    Number(/^keepsake_sending_stopped_seconds (.+)$/m.exec(await readMetrics(db.read, clock.now()))?.[1]);
  const sinceMs = clock.now() - 60_000;
  await stopSending(db, { operatorId: 'command line' }, { nowMs: sinceMs, systemMs: sinceMs });
  const stopped = await server.inject('/readyz');
  expect([stopped.statusCode, stopped.json().sendingStopped]).toEqual([200, { sinceMs, by: 'command line' }]);
  expect(await measured()).toBeGreaterThanOrEqual(60);
  await resumeSending(db, { operatorId: 'command line' }, { nowMs: clock.now(), systemMs: clock.now() });
  expect((await server.inject('/readyz')).json().sendingStopped).toBeNull();
  expect(await measured()).toBe(0);
});

test('Readiness reports how the last backup and drill ended', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage, { withBots: false });
  const onPostgres = await serve(stage, { withBots: false, databaseUrl: 'postgres://db' });
  const backupsOnPostgres = async () => (await onPostgres.inject('/readyz')).json().backups;
  const backups = async () => (await server.inject('/readyz')).json().backups;
  expect(await backups()).toEqual({ backup: null, drill: null });
  // Others may make them.
  expect(await backupsOnPostgres()).toBeUndefined();
  const backup = { atMs: 1, backup: null, problem: 'the disk is full' };
  recordBackupStatus(join(stage.folder, 'backups'), { backup });
  expect(await backups()).toEqual({ backup, drill: null });
  expect(await backupsOnPostgres()).toEqual({ backup, drill: null });
});

test('The operator’s page learns how each part is doing, even while one is faulty', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage, { withBots: false });
  const state = await server.inject('/state');
  expect(state.statusCode).toBe(200);
  expect(state.json()).toMatchObject({
    startedAtMs: expect.any(Number),
    parts: { steam: { state: 'off' } },
    backups: { backup: null, drill: null, saved: { count: 0, bytes: null } },
    faults: expect.any(Array),
  });
  expect((await server.injectAsStranger({ url: '/state' })).statusCode).toBe(401);
});

test('Without bots Steam is off, which is no fault, and inventories are unavailable', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage, { withBots: false });
  const ready = await server.inject('/readyz');
  expect(ready.statusCode).toBe(200);
  expect(ready.json().parts.steam.state).toBe('off');
  const answer = await server.inject(`/inventories/${stage.streamer.steamId}/730/2?userId=streamer`);
  expect([answer.statusCode, answer.json()]).toEqual([503, { code: 'steamUnavailable' }]);
});

test('An inventory is read through a bot, at most once a minute, and returned with its age', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage);
  const item = stage.world.give(stage.streamer.steamId, rifle);
  const url = `/inventories/${stage.streamer.steamId}/730/2?userId=streamer`;
  const [first, twin] = await Promise.all([server.inject(url), server.inject(url)]);
  expect(first.statusCode).toBe(200);
  expect(first.json().items).toEqual([
    {
      appId: 730,
      contextId: '2',
      assetId: item.assetid,
      amount: 1,
      classId: rifle.classid,
      instanceId: rifle.instanceid,
      marketHashName: rifle.market_hash_name,
      name: rifle.name,
      iconUrl: rifle.icon_url,
      typeLine: rifle.type,
      typeTag: 'Demo_Type_Rifle',
      rarityTag: 'Demo_Rarity_Classified',
      rarityColor: 'd32ce6',
      exterior: '',
      traits: '',
      traitIcons: '',
      wear: '',
      tradable: true,
      facts: {
        type: { tag: 'Demo_Type_Rifle', name: 'Rifle' },
        rarity: { tag: 'Demo_Rarity_Classified', name: 'Classified', color: 'd32ce6' },
        exterior: null,
      },
    },
  ]);
  expect(twin.json().items).toEqual(first.json().items);
  stage.world.give(stage.streamer.steamId, rifle);
  const later = await server.inject(`${url}?refresh=1`);
  expect(later.json().items).toHaveLength(1);
  expect(later.json().ageMs).toBeGreaterThan(0);
});

test('A private inventory, an unsupported game and an invalid path get different answers', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage);
  stage.world.setPrivateInventory(stage.viewer.steamId, true);
  const ask = async (path: string) => {
    const answer = await server.inject(path);
    return [answer.statusCode, answer.json().code];
  };
  expect(await ask(`/inventories/${stage.viewer.steamId}/730/2?userId=viewer`)).toEqual([
    403,
    'inventoryPrivate',
  ]);
  expect(await ask(`/inventories/${stage.viewer.steamId}/578080/2?userId=viewer`)).toEqual([
    404,
    'gameNotOffered',
  ]);
  expect(await ask(`/inventories/${stage.viewer.steamId}/730/16?userId=viewer`)).toEqual([
    404,
    'gameNotOffered',
  ]);
  expect(await ask('/inventories/somebody/730/2?userId=viewer')).toEqual([400, 'badRequest']);
  expect(await ask('/nothing')).toEqual([404, 'notFound']);
});

test('A trade link is checked live, with the trade holds in days', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage);
  stage.world.setEscrowDays(stage.viewer.steamId, 15);
  const ask = async (token: string) =>
    (
      await server.inject(`/readiness?userId=viewer&steamId=${stage.viewer.steamId}&tradeToken=${token}`)
    ).json();
  expect(await ask('tokenABC')).toEqual({ tokenValid: true, ourDays: 0, theirDays: 15 });
  expect(await ask('tokenABC&botId=bot-1')).toMatchObject({ tokenValid: true });
  expect(await ask('tokenABC&botId=bot-9')).toEqual({ code: 'steamUnavailable' });
  expect(await ask('otherABC')).toEqual({ tokenValid: false });
  expect(await ask('../../../')).toEqual({ code: 'badRequest' });
});

test('Without the secret everything is refused but whether the process is up', async () => {
  const server = await serve(await setSteamStage(), { withBots: false });
  const statusOf = async (url: string, headers = {}, method: 'GET' | 'POST' = 'GET') =>
    (await server.injectAsStranger({ url, headers, method })).statusCode;
  for (const url of ['/readyz', '/games', '/inventories/76561198000000001/730/2', '/readiness', '/nothing'])
    expect(await statusOf(url)).toBe(401);
  for (const url of ['/nudge', `/channels/${channelId}/leave`])
    expect(await statusOf(url, {}, 'POST')).toBe(401);
  expect(await statusOf('/readyz', { 'x-bot-secret': `${secret}.` })).toBe(401);
  expect(await statusOf('/readyz', { 'x-bot-secret': '' })).toBe(401);
  expect(await statusOf('/readyz', { host: 'evil.example:3001' })).toBe(403);
  expect(await statusOf('/readyz', { 'x-bot-secret': secret })).toBe(200);
  expect(await statusOf('/healthz')).toBe(200);
});

test('A page in a browser is refused, even if it knew the secret', async () => {
  const server = await serve(await setSteamStage(), { withBots: false });
  const ask = async (headers: Record<string, string>) =>
    (await server.inject({ method: 'POST', url: '/nudge', headers })).statusCode;
  expect(await ask({ origin: 'https://evil.example' })).toBe(403);
  expect(await ask({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await ask({})).toBe(202);
});

test('A nudge sends at once what would have waited for the next round', async () => {
  const stage = await setSteamStage();
  const slow = { ...hurriedPace, transfers: { ...hurriedPace.transfers, queueMs: 600_000 } };
  const steam = await startBot(stage, slow);
  const built = build({ ...stage.deps(), steam, twitch, parts: [steam] });
  onTestFinished(() => built.close());
  const server = knowing(built, secret);
  const { transferId } = await askForDeposit(stage, hat);
  expect((await server.inject({ method: 'POST', url: '/nudge' })).statusCode).toBe(202);
  await transferIn(stage, transferId, 'sent');
});

test('Leaving a channel succeeds while Twitch answers, and otherwise reports a failure', async () => {
  const server = await serve(await setSteamStage(), { withBots: false });
  const leave = async (id: string) => {
    const answer = await server.inject({ method: 'POST', url: `/channels/${id}/leave` });
    return [answer.statusCode, answer.json()];
  };
  expect(await leave(channelId)).toEqual([200, { ok: true }]);
  expect(await leave('5002')).toEqual([503, { code: 'twitchSilent' }]);
  expect(await leave('somebody')).toEqual([400, { code: 'badRequest' }]);
});

test('What the bot logs of a request names the request of the page that it came from', async () => {
  const stage = await setSteamStage();
  const lines: { requestId?: string; msg: string }[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const leaveChannel = async () => {
    await new Promise((later) => setImmediate(later));
    log.info('leaving');
    throw new Error('as planned');
  };
  const steam = startSteam(stage.deps([]), hurriedPace);
  const built = build({ ...stage.deps(), log, steam, twitch: { leaveChannel }, parts: [steam] });
  onTestFinished(() => built.close());
  const server = knowing(built, secret);
  const leave = (id: string) =>
    server.inject({ method: 'POST', url: `/channels/${channelId}/leave`, headers: { 'X-Request-Id': id } });
  await leave('id-of-the-page');
  expect(lines).toMatchObject([
    { requestId: 'id-of-the-page', msg: 'leaving' },
    { requestId: 'id-of-the-page', msg: 'a request failed' },
  ]);
  await leave('"}, {"msg": "forged"');
  expect(lines.at(-1)?.requestId).toMatch(/^[\da-f-]{36}$/);
});

test.each([
  ['localhost:3001', 200],
  ['127.0.0.1:3001', 200],
  ['[::1]:3001', 200],
  ['10.0.0.7:3001', 200],
  ['bot:3001', 200],
  ['BOT', 200],
  ['evil.example:3001', 403],
  ['bot.evil.example', 403],
  ['localhost.evil.example', 403],
  ['127.0.0.1.evil.example', 403],
  ['evil.example@localhost', 403],
  ['a b', 403],
])('Whoever calls it %s is answered with %i, also with the secret', async (host, status) => {
  const server = await serve(await setSteamStage(), { withBots: false });
  for (const url of ['/state', '/healthz'])
    expect((await server.inject({ url, headers: { host } })).statusCode).toBe(status);
});

/** The first line of the answer to a request as it stands. */
const firstLineOf = (port: number, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    let answer = '';
    socket.on('data', (part: Buffer) => {
      answer += part.toString();
    });
    socket.once('error', reject).once('close', () => resolve(answer.split('\r\n', 1)[0] ?? ''));
  });

test('A health check in HTTP/1.0, which names no host, is answered on this machine, and nothing else is', async () => {
  const stage = await setSteamStage();
  const steam = startSteam(stage.deps([]), hurriedPace);
  const server = build({ ...stage.deps(), steam, twitch, parts: [steam] });
  let from: string | null = null;
  server.server.on('connection', (socket) => {
    if (from !== null) Object.defineProperty(socket, 'remoteAddress', { value: from });
  });
  onTestFinished(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const ask = (path: string, more = '') => firstLineOf(port, `GET ${path} HTTP/1.0\r\n${more}\r\n`);
  const own = `x-bot-secret: ${stage.deps().config.secret}\r\n`;
  expect(await ask('/healthz')).toContain(' 200 ');
  expect(await ask('/state', own)).toContain(' 403 ');
  expect(await ask('/metrics', own)).toContain(' 403 ');
  expect(await ask('/healthz', 'Host: evil.example\r\n')).toContain(' 403 ');
  expect(await ask('/healthz', 'Host:\r\n')).toContain(' 403 ');
  expect(await ask('/healthz', 'Sec-Fetch-Site: cross-site\r\n')).toContain(' 403 ');
  for (const [address, status] of [
    ['::1', 200],
    ['::ffff:127.0.0.1', 200],
    ['10.0.0.7', 403],
    ['::ffff:10.0.0.7', 403],
  ] as const) {
    from = address;
    expect([address, await ask('/healthz')]).toEqual([address, expect.stringContaining(` ${status} `)]);
  }
});

test('A self-test on request compares the known offers of each bot that is logged on', async () => {
  const stage = await setSteamStage();
  const server = await serve(stage);
  const test = async () => (await server.inject({ method: 'POST', url: '/self-tests' })).json();
  expect(await test()).toEqual({ bots: { 'bot-1': [] } });
  const { transferId } = await askForDeposit(stage);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  const seen = { appId: rifle.appid, offers: 'open', difference: null, offerId };
  const tests = ['offer', 'list', 'page'].map((endpoint) => ({ ...seen, endpoint }));
  expect(await test()).toEqual({ bots: { 'bot-1': tests } });
});
