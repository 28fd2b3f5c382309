import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrateSqlite } from '#db/migrate.ts';
import { readOrCreateSecret } from '#platform/configuration.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { isBuildStale } from '../../tools/build.ts';

/** A demo world takes a minute and more on a busy machine. */
const START_WITHIN_MS = 3 * PATIENCE_MS;
const END_WITHIN_MS = 20_000;

const isTaken = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Web, bot, and the sandbox's eight. */
const PORTS = 10;

/** The supervisor on free ports with its own data folder; its processes end with the test. */
async function startAll(
  command: [string, ...string[]],
  settings: Record<string, string> = {},
  prepare: (folder: string) => unknown = () => {},
) {
  const firstPort = await findFreePorts(PORTS);
  const ports = Array.from({ length: PORTS }, (_, place) => firstPort + place);
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-start-'));
  await prepare(folder);
  const [program, ...args] = command;
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PORT: String(ports[0]),
      BOT_PORT: String(ports[1]),
      SANDBOX_PORTS_FROM: String(ports[2]),
      KEEPSAKE_DATA_DIR: folder,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const taken = async () => (await Promise.all(ports.map(isTaken))).filter(Boolean).length;
  const allFree = () =>
    vi.waitFor(async () => expect(await taken()).toBe(0), { timeout: END_WITHIN_MS, interval: 200 });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await allFree();
    rmSync(folder, { recursive: true, force: true });
  }, 2 * END_WITHIN_MS);
  const isOpen = () =>
    vi.waitFor(() => expect(output).toContain('Keepsake is open'), {
      timeout: START_WITHIN_MS,
      interval: 200,
    });
  return { child, folder, ended, isOpen, taken, allFree, output: () => output, errors: () => errors };
}

const supervisor: [string, ...string[]] = [process.execPath, 'build/start.js'];
const developing: [string, ...string[]] = [process.execPath, '--import', 'tsx', 'cli/start.ts', '--watch'];
/** The bundles start in a fraction of the time, if they are those of these sources. */
const starting = isBuildStale('.') ? developing : supervisor;

test('Invalid settings end the start before anything runs, with one line each', async () => {
  const { ended, errors, taken } = await startAll(developing, {
    PORT: 'http',
    LOG_LEVEL: 'loud',
    ENCRYPTION_KEY: 'short',
    SMTP_URL: 'mail.example',
    TRUST_PROXY: 'perhaps',
    TWITCH_BOT_LOGIN: 'Not A Login',
  });
  expect(await ended).toEqual({ code: 1, signal: null });
  expect(await taken()).toBe(0);
  const lines = errors().trim().split('\n');
  expect(lines.map((line) => line.split(' ', 1)[0]).sort()).toEqual([
    'ENCRYPTION_KEY',
    'LOG_LEVEL',
    'PORT',
    'SMTP_URL',
    'TRUST_PROXY',
    'TWITCH_BOT_LOGIN',
  ]);
  for (const line of lines) expect(line).toMatch(/^(\w+) (must|is) .+\. (Example: \1=|Set \1 to )./);
});

const makeStore = (folder: string) => migrateSqlite(join(folder, 'keepsake.db'));
const makeNotes = (folder: string, notes: object = {}) =>
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ people: [], stocked: true, ...notes }));
const real = { TWITCH_BOT_LOGIN: 'keepsake_bot' };

test.each<[string, Record<string, string>, (folder: string) => unknown, RegExp]>([
  [
    'the demo on a real store',
    {},
    makeStore,
    /which starts the demo, and \S+ is not the demo's\. .+ Give the settings/,
  ],
  [
    'the demo beside the key of a store elsewhere',
    {},
    (folder) => readOrCreateSecret(folder, 'encryption-key'),
    /is not the demo's/,
  ],
  [
    'the demo on the database of another one',
    {},
    (folder) => makeNotes(folder, { store: 'localhost/other' }),
    /is not the demo's/,
  ],
  [
    'an instance on the store of the demo',
    real,
    async (folder) => {
      await makeStore(folder);
      makeNotes(folder);
    },
    /data folder of the demo .* Set KEEPSAKE_DATA_DIR to another folder/,
  ],
  [
    'the demo at a public address',
    { PUBLIC_URL: 'https://keepsake.example' },
    () => {},
    /opens on this machine/,
  ],
])('A start is refused with one line how to go on: %s', async (_, settings, prepare, line) => {
  const { ended, errors, taken } = await startAll(starting, settings, prepare);
  expect(await ended).toEqual({ code: 1, signal: null });
  expect(await taken()).toBe(0);
  expect(errors().trim().split('\n')).toEqual([expect.stringMatching(line)]);
});

test('What keeps a start from going on once its settings are right is logged as lines of JSON without a stack', async () => {
  const { ended, errors, output, taken } = await startAll(starting, real, async (folder) => {
    await makeStore(folder);
    readOrCreateSecret(folder, 'encryption-key');
    const store = new BetterSqlite(join(folder, 'keepsake.db'));
    store.exec(`insert into __drizzle_migrations (hash, created_at) values ('newer', ${Date.now() * 2})`);
    store.close();
  });
  expect(await ended).toEqual({ code: 1, signal: null });
  expect([await taken(), errors()]).toEqual([0, '']);
  const lines = output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, -1).map(({ level, finding }) => [level, finding])).toEqual([
    [40, 'twitchKeysMissing'],
    [40, 'mailOff'],
    [40, 'operatorUnknown'],
    [40, 'steamBotsMissing'],
  ]);
  expect(lines.at(-1)).not.toHaveProperty('err');
  expect(lines.at(-1)).toMatchObject({
    level: 60,
    process: 'supervisor',
    msg: expect.stringMatching(/^the start failed: .* a newer version of Keepsake/),
  });
});

test('A demo that never made its store leaves the folder to an instance', async () => {
  const { ended, errors, folder } = await startAll(starting, { ...real, LOG_LEVEL: 'loud' }, makeNotes);
  expect(await ended).toEqual({ code: 1, signal: null });
  expect(errors()).toMatch(/^LOG_LEVEL must/);
  expect(existsSync(join(folder, 'demo.json'))).toBe(false);
});

/** The environment of an npm command in a folder with this `.env`. */
function readBeside(settingsFile: string, environment: Record<string, string>): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, '.env'), settingsFile);
  const imported = [import.meta.resolve('tsx'), pathToFileURL('cli/read-settings-file.ts').href];
  const args = [...imported.flatMap((each) => ['--import', each]), '--print', 'JSON.stringify(process.env)'];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

test('npm commands read .env in the working folder, and the environment has priority', () => {
  const file = "PORT=4000\nMAIL_FROM='Keepsake <a@b.example>'\nLOG_LEVEL=debug\n";
  const { PORT, MAIL_FROM, LOG_LEVEL } = readBeside(file, { PORT: '5000', LOG_LEVEL: '' });
  expect({ PORT, MAIL_FROM, LOG_LEVEL }).toEqual({
    PORT: '5000',
    MAIL_FROM: 'Keepsake <a@b.example>',
    LOG_LEVEL: '',
  });
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  for (const name of ['start', 'dev', 'keepsake'])
    expect(scripts[name], name).toContain('read-settings-file');
});

test('The byte order mark that some editors put before .env is no part of the first name', () => {
  expect(readBeside('\uFEFFPUBLIC_URL=https://keepsake.example\n', {}).PUBLIC_URL).toBe(
    'https://keepsake.example',
  );
});

test('A secret in the environment has priority over .env under both of its names, also where it is in a file', () => {
  const secretsIn = (settingsFile: string, environment: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(readBeside(settingsFile, environment)).filter(([name]) => /^BOT_SECRET/.test(name)),
    );
  const [text, file] = [{ BOT_SECRET: 'of the environment' }, { BOT_SECRET_FILE: '/run/secrets/bot' }];
  expect(secretsIn('BOT_SECRET=of .env', file)).toEqual(file);
  expect(secretsIn('BOT_SECRET_FILE=/elsewhere', text)).toEqual(text);
  expect(secretsIn('BOT_SECRET_FILE=/elsewhere', { BOT_SECRET: '' })).toEqual({
    BOT_SECRET: '',
    BOT_SECRET_FILE: '/elsewhere',
  });
  // The start reports this as a fault.
  expect(secretsIn('BOT_SECRET=a\nBOT_SECRET_FILE=b', {})).toEqual({ BOT_SECRET: 'a', BOT_SECRET_FILE: 'b' });
});

// These need the web app's build, and building here would take longer than all other tests together.
const withBuild = test.skipIf(isBuildStale('.'));

// A developer's own settings would make it an instance of theirs.
test.skipIf(isBuildStale('.') || existsSync('.env'))(
  'npm start brings a world of its own, and one SIGTERM ends all of it',
  async () => {
    const { child, ended, isOpen, taken, allFree } = await startAll(['npm', 'start']);
    await isOpen();
    expect(await taken()).toBe(10);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
    await allFree();
  },
);

withBuild('Nothing goes on without its supervisor, even one that was killed', async () => {
  // Any platform setting skips the sandbox, which makes the start faster.
  const { child, folder, isOpen, taken, allFree } = await startAll(supervisor, {
    TWITCH_BOT_LOGIN: 'demo_bot',
  });
  await isOpen();
  expect(await taken()).toBe(2);
  // A second one is refused meanwhile.
  const second = spawnSync(process.execPath, ['build/start.js'], {
    env: { PATH: process.env.PATH, KEEPSAKE_DATA_DIR: folder, TWITCH_BOT_LOGIN: 'demo_bot', PORT: '0' },
    encoding: 'utf8',
  });
  expect(second.status).toBe(1);
  expect(second.stderr).toContain(`Another Keepsake runs on ${folder} (process ${child.pid} on `);
  child.kill('SIGKILL');
  await allFree();
});
