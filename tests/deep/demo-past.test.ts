import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openSqlite } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { migrateSqlite } from '#db/migrate.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { listChannels } from '#domain/channel/list-channels.ts';
import { auditLedger } from '#domain/custody/audit-ledger.ts';
import { countConcerns } from '#domain/custody/list-concerns.ts';
import { day } from '#domain/kernel/time.ts';
import { listDraws } from '#domain/view/get-proof.ts';
import { testKey, testVault } from '#tests/support/database.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { untilDone } from '#tests/support/until-done.ts';
import { Demo } from '../../cli/demo/demo.ts';
import { readDemoNotes, writeDemoNotes } from '../../cli/demo/demo-notes.ts';

const secret = 'demo-word-'.repeat(4);

function run(name: 'sandbox' | 'bot', environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [bundleOf(name)], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'fatal', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

/** The sandbox and a store without people, as `npm start` makes them; and its bot once there are people. */
async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-past-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const firstPort = await findFreePorts(9);
  const sandbox = run('sandbox', {
    SANDBOX_DIR: join(folder, 'sandbox'),
    SANDBOX_PORTS_FROM: String(firstPort),
  });
  const lines = createInterface({ input: sandbox.stdout ?? process.stdin });
  const [line] = (await once(lines, 'line')) as [string];
  const { panel: panelUrl, environmentFile } = JSON.parse(line) as Record<string, string>;
  const environment = JSON.parse(readFileSync(environmentFile ?? '', 'utf8')) as Record<string, string>;
  const file = join(folder, 'keepsake.db');
  await migrateSqlite(file, testVault);
  const db = await openSqlite(file);
  onTestFinished(() => db.close());
  const open = () => Demo.open({ dataFolder: folder, db, panelUrl: panelUrl ?? '', environment });
  const bot = { url: `http://127.0.0.1:${firstPort + 8}`, secret };
  const startBot = async () => {
    run('bot', {
      ...environment,
      BOT_PORT: String(firstPort + 8),
      BOT_SECRET: secret,
      ENCRYPTION_KEY: testKey,
      KEEPSAKE_DATA_DIR: folder,
    });
    const isReady = async () => {
      const answer = await fetch(`${bot.url}/readyz`, { headers: { 'X-Bot-Secret': secret } });
      expect(answer.status).toBe(200);
    };
    // On a busy machine a bot takes longer to start than anything that a test waits for afterwards.
    await untilDone(isReady, { everyMs: 100 });
  };
  const nowMs = async () =>
    ((await (await fetch(`${panelUrl}/world.json`)).json()) as { nowMs: number }).nowMs;
  return { folder, db, open, bot, startBot, nowMs };
}

const concerns = async ({ read }: Database, nowMs: number) =>
  Object.values(await countConcerns(read, nowMs))
    .flatMap((each) => Object.values(each))
    .filter((concern) => concern !== 0);

const amounts = async ({ read }: Database) => {
  const all = [users, channels, rules, rewards, items, transfers];
  return Promise.all(all.map(async (each) => (await read.select().from(each)).length));
};

/** As after an end during sign-up, and in a demo of a version without the other channels. */
async function interruptSignUp({ folder, db, open }: Awaited<ReturnType<typeof openWorld>>) {
  const notes = readDemoNotes(folder);
  if (notes === null || notes === 'damaged') throw new Error('the demo has no notes');
  const half = notes.people.find(({ name }) => name === 'Demo Nordwind');
  const known = notes.people.filter(({ name }) => name !== 'Demo Nordwind');
  expect(known).toHaveLength(14);
  const unlinked = eq(steamAccounts.userId, half?.userId ?? '');
  await db.transaction((tx) => tx.delete(steamAccounts).where(unlinked).execute());
  writeDemoNotes(folder, { ...notes, people: known });
  await open().settlePeople(testVault);
  const { people } = readDemoNotes(folder) as typeof notes;
  expect(people.slice(0, 14)).toEqual(known);
  expect(people.slice(14)).toEqual([{ ...half, password: expect.not.stringMatching(half?.password ?? '') }]);
}

test('The demo opens with three channels, deliveries, a rule near its end and a reward to claim', async () => {
  const world = await openWorld();
  const { db } = world;
  await world.open().settlePeople(testVault);
  await interruptSignUp(world);
  await world.startBot();
  await world.open().makePast(world.bot);

  const isAnyLive = async () => (await listChannels(db, { live: true })).rows.length > 0;
  await expect.poll(isAnyLive, { timeout: PATIENCE_MS }).toBe(false);
  const listed = await listChannels(db, {});
  expect(listed.rows.map(({ login, freeRewards }) => [login, freeRewards])).toEqual([
    ['demo_lowtide', 1],
    ['demo_nordwind', 1],
    ['demo_streamer', 1],
  ]);
  for (const { pictureUrl, title } of listed.rows) {
    expect(title).not.toBe('');
    expect((await fetch(pictureUrl)).headers.get('content-type')).toContain('image/svg+xml');
  }
  const states = (await db.read.select().from(rewards)).map(({ state }) => state);
  const counted = (wanted: string) => states.filter((state) => state === wanted).length;
  expect({ claimed: counted('claimed'), promised: counted('promised'), free: counted('free') }).toEqual({
    claimed: 6,
    promised: 1,
    free: 3,
  });

  expect((await auditLedger(db.read)).drifts).toEqual([]);
  // A deposit that should be final is read again within half a minute.
  await vi.waitFor(async () => expect(await concerns(db, await world.nowMs())).toEqual([]), {
    timeout: PATIENCE_MS,
    interval: 500,
  });
  const drawn = await Promise.all(
    (await db.read.select().from(rules)).map(({ id }) => listDraws(db, { ruleId: id })),
  );
  expect(drawn.flatMap(({ rows }) => rows.map(({ agrees }) => agrees))).toEqual([true, true]);

  const urls = { product: 'http://127.0.0.1:1', panel: 'http://127.0.0.1:2' };
  const hint = 'Demo viewer 02 has a reward to claim';
  expect(await world.open().describe(urls)).toContain(hint);
  const isPromised = is(rewards.state, 'promised');
  const [promise] = await db.read.select().from(rewards).where(isPromised);
  await db.transaction((tx) => tx.update(rewards).set({ claimUntilMs: 1 }).where(isPromised).execute());
  expect(await world.open().describe(urls)).not.toContain(hint);
  const claimUntilMs = promise?.claimUntilMs ?? null;
  await db.transaction((tx) => tx.update(rewards).set({ claimUntilMs }).where(isPromised).execute());

  const before = await amounts(db);
  const beforeMs = await world.nowMs();
  await world.open().settlePeople(testVault);
  await world.open().makePast(world.bot);
  expect(await amounts(db)).toEqual(before);
  // As after an end before any step was noted.
  const notes = readDemoNotes(world.folder);
  if (notes === null || notes === 'damaged') throw new Error('the demo has no notes');
  expect(notes.stocked).toBe(true);
  writeDemoNotes(world.folder, { ...notes, stocked: false, done: [] });
  await world.open().makePast(world.bot);
  expect(await amounts(db)).toEqual(before);
  expect(await world.nowMs()).toBeLessThan(beforeMs + day);
  expect(readDemoNotes(world.folder)).toEqual({ ...notes, done: expect.arrayContaining(notes.done ?? []) });
});
