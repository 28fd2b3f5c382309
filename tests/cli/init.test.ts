import { execFile } from 'node:child_process';
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { migrateSqlite } from '#db/migrate.ts';
import type { SteamLogin } from '#sandbox/steam/state.ts';
import { serveWorld } from '#tests/sandbox/steam/stage.ts';
import { clientId, clientSecret, startDemo } from '#tests/sandbox/twitch/start-demo.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { runInit } from '../../cli/init/init.ts';
import { promptAtTerminal } from '../../cli/init/prompt.ts';
import { lineOf, readSettingsFile, replaceFile, writeSettingsFile } from '../../cli/init/settings-file.ts';

const publicUrl = 'https://keepsake.example';

let file: string;
let environment: Record<string, string>;
let twitch: Awaited<ReturnType<typeof startDemo>>;
let steam: Awaited<ReturnType<typeof serveWorld>>;
let smtpUrl: (password: string) => string;
let printed: string[];
let leaving: AbortController;
let ranAgain: { given: readonly string[]; database: object }[];

/** A mail server with one account. */
async function serveMail(): Promise<number> {
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (given, _session, done) =>
      given.password === 'right' ? done(null, { user: 'post' }) : done(new Error('wrong')),
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.server.address() as AddressInfo).port;
}

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'keepsake.env');
  twitch = await startDemo({ redirectUris: [`${publicUrl}/auth/twitch/callback`] });
  steam = await serveWorld();
  environment = { TWITCH_AUTH_URL: `${twitch.url}/auth`, STEAM_HTTP_PROXY: steam.steam.proxyUrl };
  const port = await serveMail();
  smtpUrl = (password) => `smtp://post:${password}@127.0.0.1:${port}`;
  printed = [];
  leaving = new AbortController();
  ranAgain = [];
});

/** A text, or one that is known only when the question comes. */
type Answer = string | (() => string | Promise<string>);

/** Runs init with somebody who gives these answers and then leaves. */
async function run(args: string[], answers: readonly Answer[] | null = null): Promise<boolean> {
  const left = [...(answers ?? [])];
  const ask = async () => {
    const answer = left.shift() ?? null;
    return typeof answer === 'function' ? answer() : answer;
  };
  const prompt = answers && { ask, left: leaving.signal, close: () => {} };
  const ok = await runInit([file, ...args], {
    environment,
    prompt,
    print: (line) => printed.push(line),
    runAgain(given, database) {
      ranAgain.push({ given, database });
      return true;
    },
  });
  if (prompt && ok) expect(left).toEqual([]);
  return ok;
}

const store = () => join(file, '../store');
const botWith = (more: Partial<SteamLogin> = {}) => {
  const { accountName, password, sharedSecret, identitySecret } = { ...steam.login, ...more };
  return ['', accountName, password, sharedSecret, identitySecret];
};
const bot = () => ['Bot 1', ...botWith()];
/** Address and proxy, data, application, chat account, bots and proxy, mail, operator, Stripe. */
const answers = () => [
  [publicUrl, 'true'],
  [store(), ''],
  [clientId, clientSecret],
  [twitch.bot.login, ''],
  [...bot(), '', ''],
  [smtpUrl('right'), 'Keepsake <no-reply@keepsake.example>', ''],
  ['operator@example.org', ''],
  ['', ''],
];

test('Each answer is tested, and the settings are written for their owner alone', async () => {
  expect(await run([], answers().flat())).toBe(true);
  expect(readSettingsFile(file)).toEqual({
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: 'true',
    KEEPSAKE_DATA_DIR: store(),
    TWITCH_CLIENT_ID: clientId,
    TWITCH_CLIENT_SECRET: clientSecret,
    TWITCH_BOT_LOGIN: twitch.bot.login,
    STEAM_BOTS_FILE: join(file, '../steam-bots.json'),
    STEAM_HTTP_PROXY: steam.steam.proxyUrl,
    SMTP_URL: smtpUrl('right'),
    MAIL_FROM: 'Keepsake <no-reply@keepsake.example>',
    OPERATOR_EMAIL: 'operator@example.org',
  });
  const bots = join(file, '../steam-bots.json');
  expect([statSync(file).mode & 0o777, statSync(bots).mode & 0o777]).toEqual([0o600, 0o600]);
  expect(JSON.parse(readFileSync(bots, 'utf8'))).toMatchObject([
    { name: 'Bot 1', sharedSecret: steam.login.sharedSecret },
  ]);
  expect(await run(['--check'])).toBe(true);
});

test('An answer that a server refuses is asked again, and one that does not fit is explained', async () => {
  const [first, data, application, ...others] = answers();
  const given = [
    'keepsake.example',
    ...(first ?? []),
    ...(data ?? []),
    clientId,
    'wrong',
    '',
    ...(application ?? []),
    ...others.flat(),
  ];
  expect(await run([], given)).toBe(true);
  expect(printed.join('\n')).toMatch(/PUBLIC_URL must be an http or https address.*twitchKeysRefused/s);
  expect(readSettingsFile(file)?.TWITCH_CLIENT_SECRET).toBe(clientSecret);
});

test('A right answer stays when its step is asked again', async () => {
  const [address, data, application, ...others] = answers();
  const wrongSecret = [clientId, 'wrong', '', '', ...(application ?? []).slice(1)];
  expect(await run([], [...(address ?? []), ...(data ?? []), ...wrongSecret, ...others.flat()])).toBe(true);
  expect(readSettingsFile(file)).toMatchObject({
    TWITCH_CLIENT_ID: clientId,
    TWITCH_CLIENT_SECRET: clientSecret,
  });
});

test('Bots that were given outlive a stop, and are replaced only after a yes', async () => {
  const [address, data, application, chat, , ...others] = answers();
  const before = [...(address ?? []), ...(data ?? []), ...(application ?? []), ...(chat ?? [])];
  const bots = join(file, '../steam-bots.json');
  expect(await run([], [...before, ...bot(), ''])).toBe(false);
  expect(readSettingsFile(file)).toMatchObject({ STEAM_BOTS_FILE: bots });
  const written = readFileSync(bots, 'utf8');
  rmSync(file);
  expect(await run([], [...before, '', '', ...others.flat()])).toBe(true);
  expect(readFileSync(bots, 'utf8')).toBe(written);
  rmSync(file);
  const other = ['yes', 'Bot 2', ...botWith(), '', ''];
  expect(await run([], [...before, ...other, ...others.flat()])).toBe(true);
  expect(JSON.parse(readFileSync(bots, 'utf8'))).toMatchObject([{ name: 'Bot 2' }]);
});

test('A bot that Steam refuses is asked for again by its name, and logged on with one code only', async () => {
  const [address, data, application, chat, , ...others] = answers();
  const before = [...(address ?? []), ...(data ?? []), ...(application ?? []), ...(chat ?? [])];
  const wrong = Buffer.alloc(20, 7).toString('base64');
  const { password } = steam.login;
  const person = steam.world.userBySteamId(steam.bot.steamId);
  const again = (more: Partial<SteamLogin>) => ['', 'Bot 1', ...botWith(more), ''];
  const given: Answer[] = [
    ...['Bot 1', ...botWith({ password: 'wrong' }), '', ''],
    ...again({ sharedSecret: wrong }),
    ...again({ identitySecret: wrong }),
    () => {
      if (person?.login) person.login.password = 'changed';
      return '';
    },
    ...again({ password }).slice(1),
  ];
  expect(await run([], [...before, ...given, ...others.flat()])).toBe(true);
  expect(printed.join('\n').match(/steam\w+Refused: .*/g)).toEqual([
    'steamLogOnRefused: The bot Bot 1 cannot log on to Steam: credentialsRefused.',
    'steamLogOnRefused: The bot Bot 1 cannot log on to Steam: guardCodeRefused.',
    'steamIdentitySecretRefused: Steam refuses what the identitySecret of the bot Bot 1 signs.',
  ]);
  expect(readFileSync(join(file, '../steam-bots.json'), 'utf8')).toContain(steam.login.identitySecret);
});

test('A sender at localhost is asked for again where the address is public', async () => {
  const given = answers();
  given[5] = [smtpUrl('right'), '', '', '', 'Keepsake <post@keepsake.example>', ''];
  expect(await run([], given.flat())).toBe(true);
  expect(printed.join('\n')).toContain('mailFromDefault');
  expect(readSettingsFile(file)?.MAIL_FROM).toBe('Keepsake <post@keepsake.example>');
});

test('An address without TLS, or a proxy that is not trusted, is asked for again', async () => {
  const given = answers();
  given[0] = ['http://keepsake.example', '', '', publicUrl, '', '', '', 'true'];
  expect(await run([], given.flat())).toBe(true);
  expect(printed.join('\n').match(/withoutTls|proxyNotTrusted/g)).toEqual(['withoutTls', 'proxyNotTrusted']);
  expect(readSettingsFile(file)).toMatchObject({ PUBLIC_URL: publicUrl, TRUST_PROXY: 'true' });
});

test('What stays although it is wrong is named at the end', async () => {
  const given = answers();
  environment.STRIPE_API_URL = 'http://127.0.0.1:1';
  given[7] = ['sk_live_key', '', 'yes'];
  expect(await run([], given.flat())).toBe(false);
  expect(printed.join('\n')).toContain('stripeWebhookSecretMissing');
  expect(printed.at(-1)).toMatch(/is written\. To be corrected: Stripe\./);
});

test('Enter takes what only the environment has', async () => {
  environment.KEEPSAKE_DATA_DIR = store();
  environment.TWITCH_CLIENT_SECRET = clientSecret;
  const given = answers();
  given[1] = ['', ''];
  given[2] = [clientId, ''];
  expect(await run([], given.flat())).toBe(true);
  expect(readSettingsFile(file)).toMatchObject({
    KEEPSAKE_DATA_DIR: store(),
    TWITCH_CLIENT_SECRET: clientSecret,
  });
});

/** All that a screen got since the last time. From Node 26 on one read answers one of the pieces. */
function shownOn(screen: PassThrough): string {
  let shown = '';
  for (let piece = screen.read(); piece !== null; piece = screen.read()) shown += String(piece);
  return shown;
}

test('A question stays when an answer is corrected, and a secret is never shown', async () => {
  const [keys, screen] = [new PassThrough(), new PassThrough()];
  const prompt = promptAtTerminal(keys as never, screen as never);
  const asked = prompt.ask('PORT [3000]: ');
  keys.write('40001\u007f\r');
  expect(await asked).toBe('4000');
  const shown = shownOn(screen);
  expect(shown.slice(shown.lastIndexOf('PORT [3000]: '))).toMatch(/^PORT \[3000\]: 4000/);
  const secret = prompt.ask('SMTP_URL: ', { secret: true });
  keys.write('hidden1\u007f\r');
  expect(await secret).toBe('hidden');
  expect(shownOn(screen)).toBe('SMTP_URL: \n');
  prompt.close();
});

test('The data folder of a demo is refused', async () => {
  const [address, data] = answers();
  mkdirSync(store());
  writeFileSync(join(store(), 'demo.json'), JSON.stringify({ people: [], stocked: true }));
  await migrateSqlite(join(store(), 'keepsake.db'));
  const other = join(file, '../other');
  expect(await run([], [...(address ?? []), ...(data ?? []), '', other, ''])).toBe(false);
  expect(printed.join('\n')).toMatch(/storeIsDemo: .*Set KEEPSAKE_DATA_DIR to another folder/s);
  expect(readSettingsFile(file)?.KEEPSAKE_DATA_DIR).toBe(other);
});

onServer(
  'With PostgreSQL, what follows the data is asked in a process for it, and so is a check',
  async () => {
    const url = await makePostgres();
    const [address] = answers();
    expect(await run([], [...(address ?? []), store(), url])).toBe(true);
    const database = { DATABASE_URL: url, DATABASE_URL_FILE: undefined };
    expect(ranAgain).toEqual([{ given: [file, '--yes', '--after-data'], database }]);
    expect(readSettingsFile(file)).toMatchObject({ PUBLIC_URL: publicUrl, DATABASE_URL: url });
    const [, , application, ...others] = answers();
    writeSettingsFile(file, { DATABASE_URL: '' });
    expect(await run(['--yes', '--after-data'], [...(application ?? []), ...others.flat()])).toBe(true);
    writeSettingsFile(file, { DATABASE_URL: url });
    expect(await run(['--check'])).toBe(true);
    expect(ranAgain.at(-1)?.given).toEqual([file, '--check']);
  },
);

onServer('A check with PostgreSQL sees the bots that run there', async () => {
  const url = await makePostgres();
  const bots = join(file, '../bots.json');
  writeFileSync(bots, JSON.stringify([{ name: 'Bot 1', ...steam.login }]));
  writeSettingsFile(file, { DATABASE_URL: url, KEEPSAKE_DATA_DIR: store(), STEAM_BOTS_FILE: bots });
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  const keepsake = (args: string[], more: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [bundleOf('keepsake'), ...args], {
      env: { PATH, NODE_EXTRA_CA_CERTS, ...environment, ...more },
    }).catch((error: { stdout: string }) => error);
  const migrated = await keepsake(['migrate'], { DATABASE_URL: url, KEEPSAKE_DATA_DIR: store() });
  expect(migrated.stdout).toContain('up to date');
  const bot = `insert into bots (id, state, first_seen_at_ms, lease_epoch) values ('Bot 1', 'ready', 1, 7)`;
  const lease = `insert into leases (name, holder, epoch, until_ms) values ('steam', 'a', 7, ${Date.now() + 60_000})`;
  for (const insert of [bot, lease]) await askPostgres(url, insert);
  expect((await keepsake(['init', file, '--check'])).stdout).toContain('A running Keepsake uses Bot 1.');
});

test('Who leaves finds what was right when they come back, and nothing is changed without a yes', async () => {
  const [address, data, application, ...others] = answers();
  expect(await run([], [...(address ?? []), ...(data ?? []), clientId])).toBe(false);
  expect(readSettingsFile(file)).toEqual({
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: 'true',
    KEEPSAKE_DATA_DIR: store(),
  });
  expect(await run([], ['no'])).toBe(false);
  expect(await run([], ['yes', '', '', '', '', ...(application ?? []), ...others.flat()])).toBe(true);
  expect(readSettingsFile(file)).toMatchObject({ PUBLIC_URL: publicUrl, TWITCH_CLIENT_ID: clientId });
});

test('Without anybody to ask, values are given, and nothing is written unless all are right', async () => {
  const bots = join(file, '../bots.json');
  writeFileSync(bots, JSON.stringify([{ name: 'Bot 1', ...steam.login }]));
  const secretIn = (name: string, value: string) => {
    const path = join(file, '..', name);
    writeFileSync(path, value);
    return path;
  };
  const mail = (password: string) => ({ SMTP_URL_FILE: secretIn(password, smtpUrl(password)) });
  const set = (more: Record<string, string>) =>
    Object.entries({
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: 'true',
      KEEPSAKE_DATA_DIR: store(),
      TWITCH_CLIENT_ID: clientId,
      TWITCH_CLIENT_SECRET_FILE: secretIn('twitch', clientSecret),
      STEAM_BOTS_FILE: bots,
      MAIL_FROM: 'Keepsake <no-reply@keepsake.example>',
      ...more,
    }).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  expect(await run(set({}))).toBe(false);
  expect(printed.join('\n')).toMatch(/SMTP_URL is not set/);
  expect(await run(set(mail('wrong')))).toBe(false);
  expect(printed.join('\n')).toMatch(/mailRefused/);
  expect(existsSync(file)).toBe(false);
  expect(await run(set(mail('right')))).toBe(true);
  const before = readFileSync(file, 'utf8');
  expect(await run(set({ ...mail('right'), MAIL_FROM: 'x@example.org' }))).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(await run([...set({ ...mail('right'), MAIL_FROM: 'x@example.org' }), '--yes'])).toBe(true);
  expect(readSettingsFile(file)).toMatchObject({ MAIL_FROM: 'x@example.org' });
  expect(await run(['--unknown'])).toBe(false);
  expect(printed.at(-1)).toMatch(/^Usage: keepsake init/);
});

test('Given names that no step asks for are refused, and so are secrets outside a file', async () => {
  expect(await run(['--set', 'PUBLIC_ULR=x', '--set', 'TWITCH_CLIENT_SECRET=y'])).toBe(false);
  expect(printed.join('\n')).toMatch(/PUBLIC_ULR.*TWITCH_CLIENT_SECRET.*TWITCH_CLIENT_SECRET_FILE/s);
  expect(existsSync(file)).toBe(false);
});

test('A file is replaced where a link leads, for the same owner, and a failure leaves nothing behind', () => {
  const folder = join(file, '..');
  const target = join(folder, 'target');
  writeFileSync(target, 'old');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(target, 10001, 10002);
  symlinkSync(target, file);
  replaceFile(file, 'new');
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
  if (isRoot) expect(statSync(target)).toMatchObject({ uid: 10001, gid: 10002 });
  mkdirSync(join(folder, 'taken'));
  expect(() => replaceFile(join(folder, 'taken'), 'text')).toThrow();
  expect(readdirSync(folder).sort()).toEqual(['keepsake.env', 'taken', 'target']);
});

test('A settings file keeps what is not asked for, and reads every value back as it was given', () => {
  writeFileSync(file, '# mine\nOTHER=1\nexport MAIL_FROM=old\nMAIL_FROM=twice\n');
  const values = {
    MAIL_FROM: 'Keepsake <a@b.example>',
    SMTP_URL: "smtp://a:it's@host",
    BACKUP_PASSPHRASE: 'a $b #c "d"',
  };
  writeSettingsFile(file, values);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^# mine\nOTHER=1\nMAIL_FROM='Keepsake <a@b.example>'\nSMTP_URL=/,
  );
  expect(readSettingsFile(file)).toEqual({ OTHER: '1', ...values });
  expect([lineOf('A', 'two\nlines'), lineOf('A', `'"`), lineOf('A', 'a b\\')]).toEqual([null, null, null]);
});
