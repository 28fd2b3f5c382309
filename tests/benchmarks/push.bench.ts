// The time in which 10,000 devices are told, and what pages take meanwhile, over HTTP with the built web process: run
// `npm run build` first. `ratio` is the worse of seconds over 60 and of the page's p95, relative to the same page alone,
// over 1.1.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import webPush from 'web-push';
import { openSqlite } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { pushDevices, pushes } from '#db/schema/push.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';
import { rounded } from '#tests/benchmarks/measure.ts';
import { startPageWeb } from '#tests/benchmarks/page-web.ts';
import { fillPagesWorld } from '#tests/benchmarks/pages-world.ts';
import { makeSqliteFile, testVault } from '#tests/support/database.ts';
import { addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';

const DEVICES = 10_000;
const GOAL_S = 60;
const GOAL_P95 = 1.1;
const WARM_UP = 100;
const PATH = '/dashboard';

const insertDevices = insertManyInto(pushDevices, 'bench_devices');
const insertPushes = insertManyInto(pushes, 'bench_pushes');

const start = (...args: string[]): ChildProcess =>
  fork('tests/benchmarks/push-process.ts', args, { execArgv: ['--import', 'tsx'] });

/** One promise, and ten thousand devices of its viewer that have to be told of it. */
async function fill(file: string, url: string, nowMs: number): Promise<void> {
  sealColumnsWith(testVault);
  const db = await openSqlite(file);
  const { publicKey } = await ensurePushKeys(db, () => webPush.generateVAPIDKeys(), nowMs);
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, await addStreamer(db), [viewer], { nowMs, claimTimeoutHours: 72 });
  const rewardId = rewards[0]?.id ?? '';
  const { host } = new URL(url);
  const devices = Array.from({ length: DEVICES }, () => {
    const subscription = {
      endpoint: `${url}/${randomBytes(16).toString('hex')}`,
      p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
      auth: randomBytes(16).toString('base64url'),
    };
    const id = newId(nowMs);
    const { userId } = viewer;
    const stored = { subscription: JSON.stringify(subscription), host, publicKey, createdAtMs: nowMs };
    return { id, userId, endpointHash: id, ...stored };
  });
  const due = devices.map(({ id: deviceId }) => ({
    id: newId(nowMs),
    ...{ deviceId, host, rewardId, subjectId: rewardId, event: 'promised' as const },
    ...{ createdAtMs: nowMs, runAtMs: nowMs, expiresAtMs: nowMs + day },
  }));
  await db.transaction(async (tx) => {
    await insertDevices(tx, devices);
    await insertPushes(tx, due);
  });
  await db.close();
}

const p95 = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? 0;

export async function run() {
  // The web process of benchmarks serves it beside the product.
  execFileSync('node_modules/.bin/react-router', ['build', 'tests/benchmarks/trivial'], { stdio: 'ignore' });
  const { file, folder } = await makeSqliteFile('disk');
  const nowMs = Date.now();
  const { streamer: token } = await fillPagesWorld(file, nowMs);
  const service = start('service');
  const [url] = (await once(service, 'message')) as [string];
  await fill(file, url, nowMs);
  const web = await startPageWeb(folder);
  const page = async (): Promise<number> => {
    const begin = performance.now();
    await web.ask({ app: 'product', path: PATH, token }, 1);
    return performance.now() - begin;
  };
  for (let time = 0; time < WARM_UP; time++) await page();

  const sender = start('sender', file, url);
  await once(sender, 'message');
  const during: number[] = [];
  let tookMs: number | null = null;
  sender.once('message', (ms: number) => {
    tookMs = ms;
  });
  const before = await alone(page);
  sender.send('go');
  while (tookMs === null) during.push(await page());
  const after = await alone(page);

  for (const child of [sender, service]) child.disconnect();
  web.stop();
  const sent = await countSent(file);
  rmSync(folder, { recursive: true, force: true });
  if (sent !== DEVICES) throw new Error(`${sent} of ${DEVICES} devices were told`);
  const seconds = tookMs / 1000;
  const pages = p95(during) / p95([...before, ...after]);
  return {
    ratio: rounded(Math.max(seconds / GOAL_S, pages / GOAL_P95)),
    seconds: rounded(seconds),
    pages: rounded(pages),
    aloneMs: rounded(p95([...before, ...after])),
    duringMs: rounded(p95(during)),
    asked: during.length,
  };
}

/** As many pages before as after, so that both meet the same machine. */
async function alone(page: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (const endMs = performance.now() + 10_000; performance.now() < endMs; ) times.push(await page());
  return times;
}

async function countSent(file: string): Promise<number> {
  const db = await openSqlite(file);
  const rows = await db.read.select({ outcome: pushes.outcome }).from(pushes);
  await db.close();
  return rows.filter(({ outcome }) => outcome === 'sent').length;
}
