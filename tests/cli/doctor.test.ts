import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Database, openSqlite } from '#db/database.ts';
import { migrateSqlite } from '#db/migrate.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { stopSending } from '#domain/bot/stop-sending.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { auditCustody } from '#domain/custody/audit-custody.ts';
import { hour } from '#domain/kernel/time.ts';
import { NEVER_MS } from '#domain/outbox/report-mail.ts';
import { recordBackupStatus } from '#platform/backup-status.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { addBot, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { stepsBefore } from '#tests/support/landed-steps.ts';
import { announceBotNamed, holderNamed } from '#tests/support/leases.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';
import { describeFindings, examine } from '../../cli/doctor/doctor.ts';
import { examineBackupFolder, examineFolder } from '../../cli/doctor/examine-folder.ts';
import { examineUnknown } from '../../cli/doctor/examine-unknown.ts';
import { listDoers } from '../../cli/doctor/list-doers.ts';

const NOW_MS = START_MS + 2 * hour;
const SYSTEM_MS = Date.now();
const DAY_MS = 86_400_000;

let folder: string;
let settings: Record<string, string>;

/** A sound installation. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'secrets'), { mode: 0o700 });
  writeFileSync(join(folder, 'secrets', 'encryption-key'), 'key', { mode: 0o600 });
  listBots('bot-1');
  await migrateSqlite(storeFile());
  await inStore((db) => addBot(db, 'bot-1'));
  const good = { atMs: SYSTEM_MS, backup: 'folder', problem: null };
  recordBackupStatus(join(folder, 'backups'), { backup: good, drill: good });
  settings = {
    KEEPSAKE_DATA_DIR: folder,
    PUBLIC_URL: 'https://keepsake.example',
    TRUST_PROXY: 'true',
    TWITCH_CLIENT_ID: 'id',
    TWITCH_CLIENT_SECRET: 'secret',
    TWITCH_BOT_LOGIN: 'keepsake_bot',
    SMTP_URL: 'smtps://mail.example',
    MAIL_FROM: 'Keepsake <no-reply@keepsake.example>',
    OPERATOR_EMAIL: 'operator@example.org',
    STEAM_BOTS_FILE: join(folder, 'bots.json'),
  };
});

/** Lists these bots, in a file for its owner alone. */
function listBots(...names: string[]): void {
  const identitySecret = Buffer.alloc(20).toString('base64');
  const listed = names.map((name) => ({ name, refreshToken: 'token', identitySecret }));
  writeFileSync(join(folder, 'bots.json'), JSON.stringify(listed), { mode: 0o600 });
}

const storeFile = () => join(folder, 'keepsake.db');

async function inStore(act: (db: Database) => Promise<unknown>): Promise<void> {
  const db = await openSqlite(storeFile());
  await act(db);
  await db.close();
}

function inFile(sql: string): void {
  const store = new BetterSqlite(storeFile());
  store.pragma('foreign_keys = OFF');
  store.exec(sql);
  store.close();
}

const found = async () =>
  (await examine(settings, { nowMs: NOW_MS, systemMs: SYSTEM_MS })).map(({ name }) => name);
const unset = (name: string) => () => {
  delete settings[name];
};
const set = (name: string, value: string) => () => {
  settings[name] = value;
};
const status = (facts: Parameters<typeof recordBackupStatus>[1]) => () =>
  recordBackupStatus(join(folder, 'backups'), facts);
const attempt = (agoMs: number, problem: string | null = null) => ({
  atMs: SYSTEM_MS - agoMs,
  backup: null,
  problem,
});

test('Nothing is found in a sound installation', async () => {
  expect(await found()).toEqual([]);
  expect(describeFindings([])).toBe('Nothing is wrong.');
});

test('A demo misses nothing that its own world has', async () => {
  const { KEEPSAKE_DATA_DIR: dataFolder = '', OPERATOR_EMAIL: operator = '' } = settings;
  settings = { KEEPSAKE_DATA_DIR: dataFolder, OPERATOR_EMAIL: operator };
  const missing = ['twitchKeysMissing', 'chatAccountUnset', 'mailOff', 'steamBotsMissing'];
  expect(await found()).toEqual(['storeIsNoDemo', ...missing]);
  markAsDemo();
  expect(await found()).toEqual([]);
  settings.TWITCH_BOT_LOGIN = 'keepsake_bot';
  expect(await found()).toEqual(['storeIsDemo', ...missing.filter((name) => name !== 'chatAccountUnset')]);
});

/** A mail of two hours ago. */
const addMail = (facts: Partial<typeof mails.$inferInsert> & { runAtMs: number }) =>
  inStore((db) =>
    db.transaction((tx) =>
      tx.insert(mails).values({
        id: crypto.randomUUID(),
        recipient: 'a@example.org',
        template: 'verifyEmail',
        locale: 'en',
        values: {},
        createdAtMs: START_MS,
        ...facts,
      }),
    ),
  );

const markAsDemo = () =>
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ people: [], stocked: true }), { mode: 0o600 });

const planted: Record<string, () => unknown> = {
  storeIsDemo: markAsDemo,
  settingsInvalid: set('BACKUP_COUNT', 'many'),
  withoutTls: set('PUBLIC_URL', 'http://keepsake.example'),
  proxyNotTrusted: unset('TRUST_PROXY'),
  twitchKeysMissing: unset('TWITCH_CLIENT_SECRET'),
  chatAccountUnset: unset('TWITCH_BOT_LOGIN'),
  mailOff: unset('SMTP_URL'),
  mailFromDefault: unset('MAIL_FROM'),
  mailPasswordPlain: set('SMTP_URL', 'smtp://post:secret@mail.example:587'),
  operatorUnknown: unset('OPERATOR_EMAIL'),
  steamBotsMissing: set('STEAM_BOTS_FILE', '/nowhere/bots.json'),
  steamBotsInvalid: () => writeFileSync(join(folder, 'bots.json'), '[{"name": "Bot 1"}]'),
  steamBotsOpenToOthers: () => chmodSync(join(folder, 'bots.json'), 0o644),
  dataFolderOpenToOthers: () => chmodSync(folder, 0o755),
  secretsOpenToOthers: () => chmodSync(join(folder, 'secrets', 'encryption-key'), 0o640),
  databaseOpenToOthers: () => chmodSync(storeFile(), 0o644),
  databaseDamaged: () => truncateSync(storeFile(), 8192),
  migrationPending: () =>
    inFile(
      'delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)',
    ),
  schemaNewer: () =>
    inFile("insert into __drizzle_migrations (hash, created_at) values ('x', 9999999999999)"),
  botBroken: () =>
    inStore((db) => db.transaction((tx) => tx.update(bots).set({ state: 'broken', fault: 'passwordWrong' }))),
  botSilent: () =>
    inStore((db) => db.transaction((tx) => tx.update(bots).set({ heartbeatAtMs: SYSTEM_MS - 6 * 60_000 }))),
  sendingStopped: () =>
    inStore((db) => stopSending(db, { operatorId: 'test' }, { nowMs: NOW_MS, systemMs: SYSTEM_MS })),
  mailLate: () => addMail({ runAtMs: START_MS }),
  mailGivenUp: () => addMail({ runAtMs: NEVER_MS, attempts: 10, lastError: '550 no such sender' }),
  custodyStuck: () => inStore((db) => leaveUnknownAsset(db, { botId: 'bot-1', nowMs: START_MS })),
  backupMissing: () => rmSync(join(folder, 'backups'), { recursive: true }),
  backupOld: status({ backup: attempt(3 * DAY_MS) }),
  backupFailed: status({ backup: attempt(0, 'the disk is full') }),
  drillMissing: status({ drill: attempt(15 * DAY_MS) }),
  drillFailed: status({ drill: attempt(0, 'it is damaged') }),
};

test.each(Object.keys(planted))('What is wrong is found by name: %s', async (name) => {
  await planted[name]?.();
  expect(await found()).toEqual([name]);
});

test.each<[Record<string, string>, RegExp]>([
  [{ TRUST_PROXY: 'perhaps', SANDBOX_PORTS_FROM: '0' }, /^SANDBOX_PORTS_FROM .*\nTRUST_PROXY [^\n]*$/],
  [{ CAPTCHA_PROVIDER: 'turnstile' }, /^CAPTCHA_SITE_KEY is not set, but .*\nCAPTCHA_SECRET [^\n]*$/],
  [{ BOT_URL: 'http://bot:3001', HOST: '0.0.0.0' }, /^BOT_SECRET is not set, but [^\n]*$/],
])('Everything that a start refuses is invalid, and named once: %j', async (given, what) => {
  Object.assign(settings, given);
  const findings = await examine(settings, { nowMs: NOW_MS, systemMs: SYSTEM_MS });
  expect(findings.find(({ name }) => name === 'settingsInvalid')?.what).toMatch(what);
});

test('A variable that no process reads is named with the setting that was probably meant', async () => {
  const remedyOf = (environment: Record<string, string>, file: Record<string, string> = {}) =>
    examineUnknown(environment, file).map(({ what, remedy }) => [
      what.split(' ', 1)[0],
      remedy.split(' ')[1],
    ]);
  expect(remedyOf({ HOSTS: 'a', PATHS: 'b', EDITOR: 'vi', PUBLIC_URL: 'https://a.example' })).toEqual([]);
  expect(remedyOf({ OPERATOR_MAIL: 'a@b.example', STEAM_BOTS: 'x', '\uFEFFPUBLIC_URL': 'y' })).toEqual([
    ['OPERATOR_MAIL', 'OPERATOR_EMAIL'],
    ['STEAM_BOTS', 'the'],
    ['\\ufeffPUBLIC_URL', 'PUBLIC_URL'],
  ]);
  expect(
    remedyOf({}, { HOSTS: 'a', COMPOSE_FILE: 'x', POSTGRES_PASSWORD: 'y', BOT_SECRET_FILE: 'z' }),
  ).toEqual([['HOSTS', 'HOST']]);
});

test('A key of Stripe without the secret of its webhook is found without asking Stripe', async () => {
  Object.assign(settings, { STRIPE_SECRET_KEY: 'sk_test_key', STRIPE_API_URL: 'http://127.0.0.1:1' });
  expect(await found()).toEqual(['stripeTestKey', 'stripeWebhookSecretMissing']);
});

test('What invalid settings keep from being examined is said, and the rest is examined', async () => {
  Object.assign(settings, { DATABASE_URL: 'mysql://x', STRIPE_CURRENCY: 'gold', OPERATOR_EMAIL: '' });
  const findings = await examine(settings, { nowMs: NOW_MS, systemMs: SYSTEM_MS });
  expect(findings.map(({ name }) => name)).toEqual(['settingsInvalid', 'operatorUnknown', 'notExamined']);
  expect(findings.at(-1)?.what).toBe(
    'Not examined: the keys of Stripe (STRIPE_CURRENCY is invalid); the database (DATABASE_URL is invalid).',
  );
});

test('Mail that was deferred is late by its age, and mail for a later day is not', async () => {
  await addMail({ runAtMs: NOW_MS + hour });
  expect(await found()).toEqual([]);
  await addMail({ runAtMs: NOW_MS + hour, attempts: 6, lastError: '451 try again' });
  const [finding] = await examine(settings, { nowMs: NOW_MS, systemMs: SYSTEM_MS });
  expect(finding).toMatchObject({ name: 'mailLate', what: expect.stringContaining('451 try again') });
});

test('A few addresses that do not exist are no fault of the instance', async () => {
  for (let sent = 0; sent < 10; sent++) await addMail({ runAtMs: START_MS, sentAtMs: START_MS, attempts: 1 });
  await addMail({ runAtMs: NEVER_MS, attempts: 1, lastError: '550 no such user' });
  expect(await found()).toEqual([]);
});

test('A local trial may send as localhost', async () => {
  Object.assign(settings, { PUBLIC_URL: 'http://localhost:3000', MAIL_FROM: '' });
  expect(await found()).toEqual([]);
});

test('A bot that was renamed or retired is no fault, unless it still holds items', async () => {
  listBots('bot-2');
  const become = (facts: Partial<typeof bots.$inferInsert>) =>
    inStore((db) => db.transaction((tx) => tx.update(bots).set(facts)));
  await become({ state: 'broken', heartbeatAtMs: 0 });
  expect(await found()).toEqual([]);
  // This file may have been loaded longer ago than a bot may be silent.
  await become({ state: 'ready', heartbeatAtMs: Date.now() });
  await inStore(async (db) => deposit(db, await addStreamer(db), [asset()]));
  await become({ state: 'broken', heartbeatAtMs: 0 });
  const findings = await examine(settings, { nowMs: NOW_MS, systemMs: SYSTEM_MS });
  const unlisted = findings.find(({ name }) => name === 'botUnlisted');
  expect(unlisted?.what).toMatch(/^The bot bot-1 is not in STEAM_BOTS_FILE, and holds 1 items/);
  expect(findings.map(({ name }) => name)).not.toContain('botBroken');
});

test('Root may let the group of the service read the list of bots, and nobody else may', async () => {
  chmodSync(join(folder, 'bots.json'), 0o640);
  expect(await found()).toEqual(process.getuid?.() === 0 ? [] : ['steamBotsOpenToOthers']);
  chmodSync(join(folder, 'bots.json'), 0o644);
  expect(await found()).toEqual(['steamBotsOpenToOthers']);
});

test('A folder of backups elsewhere is examined', async () => {
  const elsewhere = join(folder, 'elsewhere');
  settings.BACKUP_DIR = elsewhere;
  const good = { atMs: SYSTEM_MS, backup: 'folder', problem: null };
  recordBackupStatus(elsewhere, { backup: good, drill: good });
  chmodSync(elsewhere, 0o700);
  expect(await found()).toEqual([]);
  chmodSync(elsewhere, 0o755);
  expect(await found()).toEqual(['backupFolderOpenToOthers']);
  const nowhere = () => examineBackupFolder('/proc/none/backups', folder).map(({ name }) => name);
  expect(nowhere()).toEqual(['backupFolderReadOnly']);
  const full = examineBackupFolder(elsewhere, folder, () => ({ type: 0xef53, freeBytes: 2 ** 29 }));
  expect(full.map(({ name }) => name)).toContain('spaceLow');
});

/** Returns whether another user may read and enter this path. */
function isReadableByOthers(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o005) === 0o005;
  return isOpen && (path === '/' || isReadableByOthers(dirname(path)));
}

const mayRunAsNobody = [process.cwd(), process.execPath].every((path) => isReadableByOthers(path));

test.skipIf(process.getuid?.() === 0 && !mayRunAsNobody)(
  'Whoever may not read the data folder is told to run doctor as another user',
  () => {
    const nobody = 65_534;
    if (process.getuid?.() !== 0) chmodSync(folder, 0);
    const { PATH } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bundleOf('keepsake'), 'doctor', '--json'],
      {
        env: { PATH, TMPDIR: '/tmp', ...settings, STEAM_BOTS_FILE: join(folder, 'bots.json') },
        encoding: 'utf8',
        ...(process.getuid?.() === 0 && { uid: nobody, gid: nobody }),
      },
    );
    chmodSync(folder, 0o700);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    const { findings } = JSON.parse(stdout) as { findings: { name: string; remedy: string }[] };
    expect(findings.map(({ name }) => name)).toEqual(['steamBotsClosed', 'dataFolderClosed', 'notExamined']);
    expect(findings[1]?.remedy).toContain('as the user that runs Keepsake');
  },
);

test('An item that differs from the ledger is found', async () => {
  await inStore(async (db) => {
    await deposit(db, await addStreamer(db), [asset()]);
    await db.transaction((tx) => tx.update(items).set({ state: 'gone' }));
    await auditCustody(db, { operatorEmail: null }, NOW_MS);
  });
  expect(await found()).toContain('ledgerDrift');
});

test('A data folder that is not there, on a network file system or full is found', () => {
  expect(examineFolder(join(folder, 'none')).map(({ name }) => name)).toEqual(['dataFolderMissing']);
  const on = (fileSystem: { type: number; freeBytes: number }) =>
    examineFolder(folder, { readFileSystem: () => fileSystem }).map(({ name }) => name);
  expect(on({ type: 0xef53, freeBytes: 2 ** 40 })).toEqual([]);
  expect(on({ type: 0x6969, freeBytes: 2 ** 40 })).toEqual(['networkFileSystem']);
  expect(on({ type: 0xef53, freeBytes: 2 ** 29 })).toEqual(['spaceLow']);
  const readFileSystem = () => ({ type: 0x6969, freeBytes: 2 ** 40 });
  expect(examineFolder(folder, { hasDatabase: false, readFileSystem })).toEqual([]);
});

test('Each finding says what is wrong, why it matters and how to fix it', async () => {
  settings = { KEEPSAKE_DATA_DIR: folder, PUBLIC_URL: 'http://keepsake.example' };
  const findings = await examine(settings, { nowMs: NOW_MS, systemMs: SYSTEM_MS });
  expect(findings.length).toBeGreaterThan(3);
  for (const { what, why, remedy } of findings)
    for (const text of [what, why, remedy]) expect(text.length).toBeGreaterThan(10);
  expect(describeFindings(findings)).toContain(
    'withoutTls: PUBLIC_URL is http://keepsake.example, without TLS.\n  ',
  );
});

test('Who does which part of the work is listed before an upgrade, too, without those who would take over', async () => {
  rmSync(storeFile());
  await migrateSqlite(storeFile(), null, stepsBefore('sqlite', '0073_process_roles'));
  await inStore((db) => takeLeases(db, holderNamed('one'), ['steam']));
  expect(await listDoers(settings)).toMatchObject([{ kind: 'steam', holder: 'one', heirs: [] }]);
});

test('Who does which part of the work is listed, unless the database cannot be read', async () => {
  expect(await listDoers(settings)).toEqual([]);
  await inStore(async (db) => {
    for (const name of ['one', 'two']) await announceBotNamed(db, name);
    await takeLeases(db, holderNamed('one'), ['steam']);
    await takeLeases(db, holderNamed('two'), ['twitch:1', 'twitch:2']);
  });
  expect(await listDoers(settings)).toMatchObject([
    { kind: 'steam', holder: 'one', heirs: ['http://two:3001'] },
    { kind: 'slots', places: '1–2', holder: 'two', heirs: ['http://one:3001'] },
  ]);
  truncateSync(storeFile(), 1000);
  expect(await listDoers(settings)).toEqual([]);
  expect(await listDoers({ ...settings, KEEPSAKE_DATA_DIR: join(folder, 'elsewhere') })).toEqual([]);
  expect(await listDoers({ ...settings, ENCRYPTION_KEY: 'short' })).toEqual([]);
});
