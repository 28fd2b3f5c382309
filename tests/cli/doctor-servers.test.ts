import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { SMTPServer } from 'smtp-server';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Database, openSqlite } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { bots } from '#db/schema/bot.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';
import { eventChatScopes, ircScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { recordBackupStatus } from '#platform/backup-status.ts';
import { createVault } from '#platform/vault.ts';
import { serveWorld } from '#tests/sandbox/steam/stage.ts';
import { clientId, clientSecret, startDemo } from '#tests/sandbox/twitch/start-demo.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer } from '#tests/support/fixtures.ts';
import { describeFindings, examineWithServers, mergeFindings } from '../../cli/doctor/doctor.ts';
import { examineSteamClock, examineTwitchClock } from '../../cli/doctor/examine-clock.ts';
import { examineMailServer } from '../../cli/doctor/examine-mail-server.ts';
import { examinePostgres } from '../../cli/doctor/examine-postgres.ts';
import { examineCertificate, examineForwarded } from '../../cli/doctor/examine-public-address.ts';

const DAY_MS = 86_400_000;
const SYSTEM_MS = Date.now();
const key = randomBytes(32);
const vault = createVault(key.toString('base64'));
const secret = randomBytes(20).toString('base64');

let folder: string;
let settings: Record<string, string>;
let twitch: Awaited<ReturnType<typeof startDemo>>;
let steam: Awaited<ReturnType<typeof serveWorld>>;
/** The answers of web and bot; a test may change them. */
let web: RequestListener;
let bot: RequestListener;

async function listening(server: ReturnType<typeof createSocketServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}
const serve = (answer: RequestListener) => listening(createServer({ keepAliveTimeout: 1 }, answer));

/** A mail server with one account. */
async function serveMail(password: string): Promise<number> {
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (given, _session, done) =>
      given.password === password ? done(null, { user: 'post' }) : done(new Error('wrong')),
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.server.address() as AddressInfo).port;
}

const bodyOf = (parts: object) => JSON.stringify({ ready: true, parts });
const ready = { database: { state: 'ready' }, chat: { state: 'ready' }, 'steam: bot-1': { state: 'ready' } };

/** A sound instance with everything it talks to. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  web = (request, response) =>
    response.setHeader('x-keepsake-forwarded', request.headers['x-forwarded-for'] ? 'yes' : 'no').end('ok\n');
  bot = (_request, response) => response.end(bodyOf(ready));
  const [webPort, botPort, mailPort] = await Promise.all([
    serve((request, response) => web(request, response)),
    serve((request, response) => bot(request, response)),
    serveMail('right'),
  ]);
  const publicUrl = `http://localhost:${webPort}`;
  twitch = await startDemo({ redirectUris: [`${publicUrl}/auth/twitch/callback`] });
  steam = await serveWorld();
  await makeStore();
  settings = {
    KEEPSAKE_DATA_DIR: folder,
    ENCRYPTION_KEY: key.toString('hex'),
    PUBLIC_URL: publicUrl,
    BOT_URL: `http://127.0.0.1:${botPort}`,
    TWITCH_CLIENT_ID: clientId,
    TWITCH_CLIENT_SECRET: clientSecret,
    TWITCH_AUTH_URL: `${twitch.url}/auth`,
    TWITCH_BOT_LOGIN: twitch.bot.login,
    SMTP_URL: `smtp://post:right@127.0.0.1:${mailPort}`,
    OPERATOR_EMAIL: 'operator@example.org',
    STEAM_BOTS_FILE: join(folder, 'bots.json'),
    STEAM_HTTP_PROXY: steam.steam.proxyUrl,
  };
});

async function makeStore(): Promise<void> {
  mkdirSync(join(folder, 'secrets'), { mode: 0o700 });
  const good = { atMs: SYSTEM_MS, backup: 'folder', problem: null };
  recordBackupStatus(join(folder, 'backups'), { backup: good, drill: good });
  copyFileSync((await makeSqliteFile()).file, join(folder, 'keepsake.db'));
  chmodSync(join(folder, 'keepsake.db'), 0o600);
  listBots(tokenFor(200 * DAY_MS));
  await inStore(async (db) => {
    await addBot(db, 'bot-1');
    await connectChat(db, ['chat:read', 'chat:edit']);
  });
}

const tokenFor = (lifetimeMs: number) => {
  const seconds = Math.floor((SYSTEM_MS + lifetimeMs) / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'steam', sub: '76561198000000101', aud: ['client', 'derive'], exp: seconds };
  return `${part({})}.${part(claims)}.x`;
};
function listBots(refreshToken: string): void {
  const file = join(folder, 'bots.json');
  writeFileSync(file, JSON.stringify([{ name: 'bot-1', refreshToken, identitySecret: secret }]));
  chmodSync(file, 0o600);
}

async function connectChat(db: Database, scopes: string[]): Promise<void> {
  const { id: twitchId, login } = twitch.bot;
  const issued = twitch.world.tokens.issue({ clientId, userId: twitchId, scopes });
  const { accessToken } = issued;
  const refreshToken = issued.refreshToken ?? '';
  const grant = { accessToken, refreshToken, scopes, obtainedAtMs: SYSTEM_MS, lifetimeSeconds: 14_400 };
  await connectChatAccount(db, { vault, twitchId, login, grant });
}

async function inStore(act: (db: Database) => Promise<unknown>): Promise<void> {
  const db = await openSqlite(join(folder, 'keepsake.db'));
  await act(db);
  await db.close();
}
const change = (set: Partial<typeof bots.$inferInsert>) =>
  inStore((db) => db.transaction((tx) => tx.update(bots).set(set)));

const times = { nowMs: SYSTEM_MS, systemMs: SYSTEM_MS };
const found = async () => (await examineWithServers(settings, times)).map(({ name }) => name);
const set = (name: string, value: string) => () => {
  settings[name] = value;
};
const answerOf = (parts: object) => () => {
  bot = (_request, response) => response.end(bodyOf({ ...ready, ...parts }));
};

test('Nothing is found where every server answers as it should', async () => {
  expect(describeFindings(await examineWithServers(settings, times))).toBe('Nothing is wrong.');
});

/** A bot whose own self-test finds this now. */
const testing = (difference: 'absent' | null) => () => {
  const tests = [{ endpoint: 'history', appId: 730, offers: 'accepted', difference, offerId: '77' }];
  bot = ({ method, url }, response) =>
    response.end(
      method === 'POST' && url === '/self-tests'
        ? JSON.stringify({ bots: { 'bot-1': tests } })
        : bodyOf(ready),
    );
};

const planted: Record<string, () => unknown> = {
  publicUrlUnreachable: () => {
    web = (request) => request.socket.destroy();
  },
  publicUrlElsewhere: () => {
    web = (_request, response) => response.writeHead(404).end('Not here');
  },
  proxyHeadersMissing: set('TRUST_PROXY', 'true'),
  proxyNotTrusted: () => {
    web = (_request, response) => response.setHeader('x-keepsake-forwarded', 'yes').end('ok\n');
  },
  botUnreachable: set('BOT_URL', 'http://127.0.0.1:1'),
  botSecretRefused: () => {
    bot = (_request, response) => response.writeHead(401).end('{"code":"secretWrong"}');
  },
  botNameRefused: () => {
    bot = (_request, response) => response.writeHead(403).end('{"code":"foreign"}');
  },
  steamBotNotReady: answerOf({ 'steam: bot-1': { state: 'faulty', detail: 'accountDisabled' } }),
  botPartNotReady: answerOf({ twitch: { state: 'faulty', detail: 'applicationRefused' } }),
  botRoleVacant: answerOf({ roles: { state: 'faulty', detail: 'no process does twitch, mails' } }),
  botDiskFull: answerOf({ disk: { state: 'faulty', detail: 'the disk is full: 12 MiB left in /data' } }),
  botCannotStore: answerOf({ database: { state: 'faulty', detail: 'it takes no row (SQLITE_FULL)' } }),
  selfTestDiffers: testing('absent'),
  steamUnreachable: set('STEAM_HTTP_PROXY', 'http://127.0.0.1:1'),
  twitchKeysRefused: set('TWITCH_CLIENT_SECRET', 'another'),
  twitchUnreachable: () => twitch.world.faults.failNext({ method: 'POST', path: '/auth/token', answer: 503 }),
  mailRefused: () => {
    settings.SMTP_URL = settings.SMTP_URL?.replace('right', 'wrong') ?? '';
  },
  mailUnreachable: set('SMTP_URL', 'smtp://127.0.0.1:1'),
  chatAccountMissing: set('TWITCH_BOT_LOGIN', 'somebody_else'),
  chatAccountRefused: () => twitch.world.revokeAuthorization(twitch.bot.id),
  chatScopesMissing: () => inStore((db) => connectChat(db, ['chat:read'])),
  encryptionKeyWrong: set('ENCRYPTION_KEY', randomBytes(32).toString('hex')),
  encryptionKeyMissing: set('ENCRYPTION_KEY', ''),
  steamTokenRefused: () => listBots(tokenFor(-DAY_MS)),
  steamTokenExpiring: () => listBots(tokenFor(3 * DAY_MS)),
};

test.each(Object.keys(planted))('What a server answers is found by name: %s', async (name) => {
  await planted[name]?.();
  expect(await found()).toEqual([name]);
});

test('A self-test that agrees now is no finding', async () => {
  testing(null)();
  expect(await found()).toEqual([]);
});

test('What refuses in place of the bot is not taken for it, and the bot’s own refusals say how to mend them', async () => {
  bot = (_request, response) => response.writeHead(403).end('<h1>Forbidden</h1>');
  const refused = async () => (await examineWithServers(settings, times)).at(0);
  expect(await refused()).toMatchObject({
    name: 'botUnreachable',
    what: expect.stringContaining('is not the bot (status 403)'),
  });
  bot = (_request, response) => response.writeHead(403).end('{"code":"foreign"}');
  expect(await refused()).toMatchObject({
    what: expect.stringContaining('does not answer to the name 127.0.0.1'),
    remedy: expect.stringContaining(`the same BOT_URL (${settings.BOT_URL})`),
  });
});

test('A server that says ok and is not Keepsake is no public address', async () => {
  web = (_request, response) => response.end('ok\n');
  expect(await found()).toEqual(['publicUrlElsewhere']);
});

test('An invalid setting keeps one server from being asked, and no other', async () => {
  Object.assign(settings, { SMTP_URL: 'mail.example', TWITCH_CLIENT_SECRET: 'another' });
  const findings = await examineWithServers(settings, times);
  expect(findings.map(({ name }) => name)).toEqual(['settingsInvalid', 'twitchKeysRefused', 'notExamined']);
  expect(findings.at(-1)?.what).toBe('Not examined: the mail server (SMTP_URL is invalid).');
});

test('What a database that cannot be used keeps from being examined is said', async () => {
  truncateSync(join(folder, 'keepsake.db'), 8192);
  const findings = await examineWithServers(settings, times);
  expect(findings.map(({ name }) => name)).toEqual(['databaseDamaged', 'notExamined']);
  expect(findings.at(-1)?.what).toContain('chat accounts');
});

test('What is both expected and seen is named once, as it was seen', () => {
  const finding = (name: string, what: string) => ({ name, what, why: '', remedy: '' });
  const clocks = [finding('clockWrong', 'of Steam'), finding('clockWrong', 'of Twitch')];
  const seen = finding('proxyNotTrusted', 'seen');
  const merged = mergeFindings([finding('proxyNotTrusted', 'expected')], [seen, ...clocks, seen]);
  expect(merged).toEqual([seen, ...clocks]);
});

test('A redirect address that the Twitch application does not list is named', async () => {
  const other = await serve((request, response) => web(request, response));
  settings.PUBLIC_URL = `http://localhost:${other}`;
  const [finding, ...more] = await examineWithServers(settings, times);
  expect([finding?.name, more]).toEqual(['twitchRedirectRefused', []]);
  expect(finding?.remedy).toContain(`http://localhost:${other}/auth/twitch/callback`);
});

test('An account without the permissions for more chats is found before the hundred are full, and chats that do not let it in', async () => {
  await inStore(async (db) => {
    for (let number = 0; number < 81; number += 1) {
      const streamer = await addStreamer(db);
      await addRule(db, streamer, { rewards: 0 });
      if (number === 0)
        await recordChatFault(db, { channelId: streamer.twitchId, fault: 'notAllowed' }, SYSTEM_MS);
    }
  });
  const findings = await examineWithServers(settings, times);
  expect(findings.map(({ name }) => name)).toEqual(['chatsNotAllowed', 'chatScopesMissing']);
  expect(findings[1]?.what).toContain('user:read:chat and user:write:chat and user:bot');
  await inStore((db) => connectChat(db, [...ircScopes, ...eventChatScopes]));
  expect(await found()).toEqual(['chatsNotAllowed']);
});

test('Shared chats into which nothing is written are found, and an account that lacks the permissions for them', async () => {
  await inStore(async (db) => {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { rewards: 0 });
    await recordChatFault(db, { channelId: streamer.twitchId, fault: 'shared' }, SYSTEM_MS);
  });
  const findings = await examineWithServers(settings, times);
  expect(findings.map(({ name }) => name)).toEqual(['chatsShared', 'chatScopesMissing']);
  await inStore((db) => connectChat(db, [...ircScopes, ...eventChatScopes]));
  expect(await found()).toEqual(['chatsShared']);
});

test('A chat account whose permission was lost earlier is found without asking Twitch', async () => {
  await inStore((db) => db.transaction((tx) => tx.update(chatAccounts).set({ broken: true })));
  expect(await found()).toEqual(['chatAccountRefused']);
});

test('A token that Steam has renewed counts instead of the one in the file', async () => {
  listBots(tokenFor(-DAY_MS));
  await change({ refreshTokenSealed: vault.seal(tokenFor(100 * DAY_MS), 'bot:bot-1') });
  expect(await found()).toEqual([]);
});

test('A clock that differs from Steam’s by more than it tolerates is found', async () => {
  const at = (aheadMs: number) =>
    examineSteamClock(steam.steam.proxyUrl, () => Date.now() + aheadMs).then((all) =>
      all.map(({ what }) => what),
    );
  expect(await at(0)).toEqual([]);
  expect(await at(90_000)).toEqual([
    expect.stringMatching(/^The clock of this machine is (89|90|91) s ahead of Steam's\.$/),
  ]);
  expect((await at(-90_000))[0]).toContain('behind');
});

test('A clock that differs from Twitch’s is found in both directions, with what it does to chat', async () => {
  const at = (aheadMs: number) =>
    examineTwitchClock(new URL(settings.TWITCH_AUTH_URL ?? ''), () => Date.now() + aheadMs);
  expect([await at(0), await at(20_000)]).toEqual([[], []]);
  const [ahead] = await at(90_000);
  expect(ahead).toMatchObject({ name: 'clockWrong', why: expect.stringContaining('command in chat') });
  expect(ahead?.what).toMatch(/^The clock of this machine is (89|90|91) s ahead of Twitch's\.$/);
  expect((await at(-90_000))[0]?.what).toContain("behind Twitch's");
});

test('Doctor asks both clocks', async () => {
  const late = new Date(SYSTEM_MS - 90_000).toUTCString();
  const authUrl = await serve((_request, response) => response.writeHead(401, { date: late }).end('{}'));
  settings.TWITCH_AUTH_URL = `http://127.0.0.1:${authUrl}`;
  const whats = (await examineWithServers(settings, times)).map(({ what }) => what);
  expect(whats).toContainEqual(expect.stringMatching(/ s ahead of Twitch's\.$/));
});

test('A certificate that nobody trusts, or that ends soon, is found', async () => {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  const port = await listening(
    createTlsServer({ key: made.private, cert: made.cert }, (_, response) => response.end('ok\n')),
  );
  Object.assign(settings, { PUBLIC_URL: `https://localhost:${port}`, TWITCH_CLIENT_ID: '' });
  expect(await found()).toContain('tlsRefused');
  const names = (leftMs: number) =>
    examineCertificate('keepsake.example', SYSTEM_MS + leftMs, SYSTEM_MS).map(({ name }) => name);
  expect([names(15 * DAY_MS), names(13 * DAY_MS)]).toEqual([[], ['tlsExpiring']]);
});

test('The number of addresses that proxies added is compared with TRUST_PROXY', () => {
  const names = (forwarded: string, trustProxy: string) =>
    examineForwarded(forwarded, trustProxy).map(({ name }) => name);
  expect(names('0', 'false')).toEqual([]);
  expect(names('no', 'false')).toEqual([]);
  expect(names('1', 'true')).toEqual([]);
  expect(names('2', '2')).toEqual([]);
  expect(names('2', '10.0.0.0/8')).toEqual([]);
  expect(names('0', '10.0.0.0/8')).toEqual(['proxyHeadersMissing']);
  expect(names('1', '2')).toEqual(['proxiesMiscounted']);
  expect(names('yes', 'false')).toEqual(['proxyNotTrusted']);
  const [finding] = examineForwarded('2', 'true');
  expect(finding).toMatchObject({ name: 'proxiesMiscounted', remedy: 'Set TRUST_PROXY=2.' });
  expect(finding?.what).toContain('with 2 addresses');
});

test('A mail server whose certificate is refused is not called silent', async () => {
  const server = new SMTPServer({ secure: true, logger: false });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const [finding] = await examineMailServer(`smtps://127.0.0.1:${port}`);
  expect(finding?.name).toBe('mailCertificateRefused');
});

test('A PostgreSQL that does not answer is found', async () => {
  const names = (await examinePostgres('postgres://nobody@127.0.0.1:1/none', times, null)).map(
    ({ name }) => name,
  );
  expect(names).toEqual(['databaseUnreachable']);
});
