import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { migrateSqlite } from '#db/migrate.ts';
import { readOrCreateSecret } from '#platform/configuration.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';

/** A user of this machine who owns nothing here. */
const NOBODY = 65_534;
/** Only root can start something as that user, who must be able to read this checkout and to run this Node. */
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['-p', `require(${JSON.stringify(resolve('package.json'))}).name`], {
    uid: NOBODY,
    gid: NOBODY,
  }).status === 0;

/** An installation before it is started: its data folder and the folder that it is started in. */
interface Place {
  folder: string;
  working: string;
  port: number;
}

export interface WrongStart {
  settings?: (place: Place) => Record<string, string>;
  prepare?: (place: Place) => unknown;
  /** Patterns of the lines, in their order; what is only advised may stand before them. */
  lines: readonly RegExp[];
  /** True if it is started as another user than the one who prepared it, which takes root. */
  asNobody?: true;
  command?: 'migrate';
  /** Facts of the disk that this machine does not have. */
  disk?: { type?: number; bavail?: number; bsize?: number };
}

const real = { TWITCH_BOT_LOGIN: 'keepsake_bot' };
const settings = (more: Record<string, string>) => () => ({ ...real, ...more });
const makeStore = ({ folder }: Place) => migrateSqlite(join(folder, 'keepsake.db'));
const makeKey = ({ folder }: Place) => readOrCreateSecret(folder, 'encryption-key');
const write =
  (name: string, text: string) =>
  ({ folder }: Place) =>
    writeFileSync(join(folder, name), text);
const envFile =
  (text: string) =>
  ({ working }: Place) =>
    writeFileSync(join(working, '.env'), text);

async function listenAt(port: number): Promise<() => void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return () => server.close();
}

async function inStore(place: Place, sql: string): Promise<void> {
  await makeStore(place);
  makeKey(place);
  const store = new BetterSqlite(join(place.folder, 'keepsake.db'));
  store.exec(sql);
  store.close();
}

const restOf = (variable: string) =>
  new RegExp(`^${variable} .+ (Example: ${variable}=|Set ${variable} to ).`);

/** Installations that cannot work, by what is wrong with them. */
export const wrongStarts: Readonly<Record<string, WrongStart>> = {
  'the data folder belongs to another user': {
    settings: settings({}),
    asNobody: true,
    lines: [/^User 65534 cannot read \S+, which belongs to root\. .+ chown -R 65534:65534 \/\S+$/],
  },
  'the database belongs to another user': {
    settings: settings({}),
    asNobody: true,
    async prepare(place) {
      await makeStore(place);
      chownSync(place.folder, NOBODY, NOBODY);
      chmodSync(join(place.folder, 'keepsake.db'), 0o644);
    },
    lines: [/^User 65534 cannot write to \S+keepsake\.db, which belongs to root\. .+ chown -R /],
  },
  'the data folder is not there, and this user cannot make it': {
    settings: ({ folder }) => ({ ...real, KEEPSAKE_DATA_DIR: join(folder, 'data') }),
    prepare: ({ folder }) => chmodSync(folder, 0o755),
    asNobody: true,
    lines: [/^User 65534 cannot write to \S+, which .+ as root: mkdir -p \S+\/data && chown -R 65534:/],
  },
  'migrate in the data folder of another user': {
    settings: settings({}),
    asNobody: true,
    command: 'migrate',
    lines: [/^User 65534 cannot read \S+, which belongs to root\. .+ chown -R 65534:65534 \/\S+$/],
  },
  'the data folder is a file': {
    settings: ({ folder }) => ({ ...real, KEEPSAKE_DATA_DIR: join(folder, 'data') }),
    prepare: write('data', ''),
    lines: [/^There can be no folder \S+\/data, because \S+\/data is a file\. .+ Set KEEPSAKE_DATA_DIR /],
  },
  'the data folder is on a network disk': {
    settings: settings({}),
    disk: { type: 0x6969 },
    lines: [
      / is on a network file system\. SQLite .+ Move the data folder to a local disk, or use PostgreSQL\.$/,
    ],
  },
  'the disk is full': {
    settings: settings({}),
    disk: { bavail: 3, bsize: 2 ** 20 },
    lines: [/ has 3 MiB left\. A start needs 64 MiB, .+ Free space, /],
  },
  'another instance runs on the data folder': {
    settings: settings({}),
    prepare({ folder }) {
      writeFileSync(join(folder, 'running.txt'), 'process 4711 on other, since yesterday\n');
      const lock = new BetterSqlite(join(folder, 'instance.lock'));
      lock.exec('BEGIN EXCLUSIVE');
      return () => lock.close();
    },
    lines: [
      /^Another Keepsake runs on \S+ \(process 4711 on other, since yesterday\)\. .+ Stop the other one/,
    ],
  },
  'the database does not answer': {
    settings: settings({ DATABASE_URL: 'postgres://keepsake:secret@127.0.0.1:1/keepsake' }),
    lines: [/^The database in DATABASE_URL does not answer \(ECONNREFUSED\)\. .+ Start PostgreSQL/],
  },
  'migrate while the database does not answer': {
    settings: settings({ DATABASE_URL: 'postgres://keepsake:secret@127.0.0.1:1/keepsake' }),
    command: 'migrate',
    lines: [/^The database in DATABASE_URL does not answer \(ECONNREFUSED\)\. .+ Start PostgreSQL/],
  },
  'the name of the database’s machine does not exist': {
    settings: settings({ DATABASE_URL: 'postgres://keepsake:secret@db.invalid/keepsake' }),
    lines: [/^The database in DATABASE_URL does not answer \((ENOTFOUND|EAI_AGAIN)\)\. .+ Check the host /],
  },
  'the database’s password has @ and /': {
    settings: settings({ DATABASE_URL: 'postgres://keepsake:pa@ss/word@db/keepsake' }),
    lines: [/^DATABASE_URL has characters .+ must be percent-encoded \(@ as %40/],
  },
  'migrate with such a password': {
    settings: settings({ DATABASE_URL: 'postgres://keepsake:pa@ss/word@db/keepsake' }),
    command: 'migrate',
    lines: [/^DATABASE_URL has characters .+ must be percent-encoded \(@ as %40/],
  },
  'the database’s password has #': {
    settings: settings({ DATABASE_URL: 'postgres://keepsake:pa#ss@db/keepsake' }),
    lines: [/^DATABASE_URL has characters .+ must be percent-encoded/],
  },
  'the database is none that Keepsake knows': {
    settings: settings({ DATABASE_URL: 'mysql://keepsake@db/keepsake' }),
    lines: [/^DATABASE_URL must begin with postgres:/],
  },
  'HOST is an address of another machine': {
    settings: settings({ HOST: '192.0.2.1' }),
    lines: [
      /^HOST is 192\.0\.2\.1, and this machine cannot listen there \(EADDRNOTAVAIL\)\. .+ use 127\.0\.0\.1/,
    ],
  },
  'HOST is the public name': {
    settings: settings({ HOST: 'keepsake.invalid' }),
    lines: [/^HOST is keepsake\.invalid, and this machine cannot listen there .+ not the public name/],
  },
  'HOST is an IPv6 address of another machine': {
    settings: settings({ HOST: '[2001:db8::7]' }),
    lines: [/^HOST is 2001:db8::7, and this machine cannot listen there/],
  },
  'another program has the port of web': {
    settings: settings({}),
    prepare: ({ port }) => listenAt(port),
    lines: [/^PORT is \d+, and another program listens there already .+ set PORT to another port\.$/],
  },
  'another program has the port of the bot': {
    settings: settings({}),
    prepare: ({ port }) => listenAt(port + 1),
    lines: [/^BOT_PORT is \d+, and another program listens there already .+ set BOT_PORT to another port\.$/],
  },
  'web and bot have one port': {
    settings: ({ port }) => ({ ...real, BOT_PORT: String(port) }),
    lines: [/^PORT and BOT_PORT are both \d+\. .+ Set BOT_PORT to another port\.$/],
  },
  'PUBLIC_URL is misspelt': {
    prepare: envFile(
      'PUBLIC_URI=https://keepsake.example\nTWITCH_CLIENT_ID=abc\nTWITCH_CLIENT_SECRET=def\nOPERATOR_MAIL=a@b.example\n',
    ),
    lines: [
      /^PUBLIC_URL is not set, but TWITCH_CLIENT_ID is: .+ Example: PUBLIC_URL=https:/,
      /^OPERATOR_MAIL is not a setting of Keepsake\. .+ Write OPERATOR_EMAIL if you mean that one/,
      /^PUBLIC_URI is not a setting of Keepsake\. It is ignored, .+ Write PUBLIC_URL if you mean that one/,
    ],
  },
  'PUBLIC_URL is missing, and there is mail': {
    settings: settings({ SMTP_URL: 'smtps://mail.example' }),
    lines: [/^PUBLIC_URL is not set, but SMTP_URL is: links in mail /],
  },
  'the settings file begins with a byte order mark': {
    prepare: envFile(
      '\uFEFFPUBLIC_URL=https://keepsake.example\nTWITCH_CLIENT_ID=abc\nSMTP_URL=smtp://u:p#ss@mail.example\n',
    ),
    // PUBLIC_URL is read.
    lines: [/^SMTP_URL has characters in its user or password that must be percent-encoded/],
  },
  'PUBLIC_URL has a path': {
    settings: settings({ PUBLIC_URL: 'https://example.org/keepsake' }),
    lines: [/^PUBLIC_URL must be an address without a path\. /],
  },
  'the mail server has no protocol': {
    settings: settings({ SMTP_URL: 'mail.example' }),
    lines: [restOf('SMTP_URL')],
  },
  'the list of bots is not there': {
    settings: settings({ STEAM_BOTS_FILE: '/nowhere/bots.json' }),
    lines: [
      /^STEAM_BOTS_FILE names a file that cannot be read .+\. Set STEAM_BOTS_FILE to the path of a JSON file /,
    ],
  },
  'the list of bots is not JSON': {
    settings: ({ folder }) => ({ ...real, STEAM_BOTS_FILE: join(folder, 'bots.json') }),
    prepare: write('bots.json', 'name: Bot 1'),
    lines: [/^STEAM_BOTS_FILE names a file that is not JSON\. /],
  },
  'the key is too short': {
    settings: settings({ ENCRYPTION_KEY: 'abc' }),
    lines: [restOf('ENCRYPTION_KEY')],
  },
  'the key is missing': {
    settings: settings({}),
    prepare: makeStore,
    lines: [/^There is a database, but no encryption key to it\. .+ restore `secrets` /],
  },
  'the database is of a newer version': {
    settings: settings({}),
    prepare: (place) =>
      inStore(place, "insert into __drizzle_migrations (hash, created_at) values ('newer', 99999999999999)"),
    lines: [/ has the schema of a newer version of Keepsake, and nothing was changed\. /],
  },
  'the database is damaged': {
    settings: settings({}),
    prepare: write('keepsake.db', 'x'.repeat(8192)),
    lines: [/^keepsake\.db in the data folder is damaged, .+ Restore a backup: keepsake restore FOLDER\.$/],
  },
  'the database was moved to PostgreSQL': {
    settings: settings({}),
    prepare: write('keepsake.db.moved', ''),
    lines: [/^DATABASE_URL is not set, but this instance was moved to PostgreSQL /],
  },
  'no setting is given, and the data is an instance’s': {
    settings: () => ({}),
    prepare: makeKey,
    lines: [
      /^No TWITCH_\*, .+ which starts the demo, .+ move its clock\. Give the settings of your instance/,
    ],
  },
  'no setting is given but PUBLIC_URL': {
    settings: () => ({ PUBLIC_URL: 'https://keepsake.example' }),
    lines: [
      /^No TWITCH_\*, .+ the demo opens on this machine alone\. Everybody could sign in as its people\. Set/,
    ],
  },
  'the data is the demo’s': {
    settings: settings({}),
    async prepare(place) {
      await makeStore(place);
      write('demo.json', '{"people":[],"stocked":true}')(place);
    },
    lines: [
      / is the data folder of the demo .+ would be part of your instance\. Set KEEPSAKE_DATA_DIR to another folder/,
    ],
  },
  'a secret is given twice': {
    settings: settings({ BOT_SECRET: 'x'.repeat(32), BOT_SECRET_FILE: '/run/secrets/bot' }),
    lines: [/^BOT_SECRET_FILE is set, but so is BOT_SECRET; keep one\. /],
  },
  'Turnstile has no keys': {
    settings: settings({ CAPTCHA_PROVIDER: 'turnstile' }),
    lines: [restOf('CAPTCHA_SITE_KEY'), restOf('CAPTCHA_SECRET')],
  },
  'Stripe has no secret for its webhook': {
    settings: settings({ STRIPE_SECRET_KEY: 'sk_test_x' }),
    lines: [
      /^STRIPE_WEBHOOK_SECRET is not set, but STRIPE_SECRET_KEY is\. Set STRIPE_WEBHOOK_SECRET to what /,
    ],
  },
};

/** Returns whether this installation can be made here. */
export const canBeMade = ({ asNobody }: WrongStart): boolean => !asNobody || canBeNobody;

export interface StartOutcome {
  code: number | null;
  /** Everything that was printed; the text of lines that are JSON. */
  lines: string[];
  tookMs: number;
}

/** Starts such an installation and returns what it printed. */
export async function runWrongStart(wrong: WrongStart): Promise<StartOutcome> {
  // A run's own folder for temporary files lets no other user in.
  const working = mkdtempSync(join(wrong.asNobody ? '/tmp' : tmpdir(), 'keepsake-wrong-'));
  const folder = join(working, 'folder');
  mkdirSync(folder, { mode: 0o700 });
  chmodSync(working, 0o755);
  const place = { folder, working, port: await findFreePorts(2) };
  const release = await wrong.prepare?.(place);
  try {
    return await start(wrong, place);
  } finally {
    if (typeof release === 'function') release();
    rmSync(working, { recursive: true, force: true });
  }
}

async function start(wrong: WrongStart, place: Place): Promise<StartOutcome> {
  const preload = wrong.disk
    ? ['--import', pathToFileURL(resolve('tests/support/wrong-starts/statfs.mjs')).href]
    : [];
  const readsFile = ['--import', pathToFileURL(resolve('build/read-settings-file.js')).href];
  const [bundle, ...args] = wrong.command ? ['keepsake', wrong.command] : ['start'];
  const begunMs = performance.now();
  const child = spawn(process.execPath, [...preload, ...readsFile, resolve(`build/${bundle}.js`), ...args], {
    cwd: place.working,
    env: {
      PATH: process.env.PATH,
      HOME: place.working,
      PORT: String(place.port),
      BOT_PORT: String(place.port + 1),
      KEEPSAKE_DATA_DIR: place.folder,
      ...(wrong.disk && { TEST_STATFS: JSON.stringify(wrong.disk) }),
      ...wrong.settings?.(place),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(wrong.asNobody && { uid: NOBODY, gid: NOBODY }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = output.trim().split('\n').map(textOf);
  return { code, lines, tookMs: performance.now() - begunMs };
}

/** The text of a line of the log, or the line itself. */
function textOf(line: string): string {
  if (!line.startsWith('{')) return line;
  const { msg, err } = JSON.parse(line) as { msg: string; err?: { stack: string } };
  return err ? `${msg} ${err.stack}` : msg;
}
