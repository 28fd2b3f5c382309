// Two hundred overlays at one web process: its CPU time at rest, the time from the commit of an event until an overlay
// has it, and the CPU time for each event and overlay beside that of a bare write to as many connections.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { KEYS_HEADER } from '#app/overlay/protocol.ts';
import { setWebEnvironment, webEnvironment } from '#tests/app/support/web-environment.ts';
import { startWeb, stopWeb } from '#tests/app/support/web-process.ts';
import { rounded } from '#tests/benchmarks/measure.ts';
import { cpuMsOf } from '#tests/benchmarks/process-cpu.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';

const STREAMERS = 20;
/** Browsers of each, such as a second computer or a guest's: as many as an account may have. */
const BROWSERS = 10;
const OVERLAYS = STREAMERS * BROWSERS;
const EVENTS = 100;
const EVENT_EVERY_MS = 200;
const SETTLING_MS = 30_000;
const IDLE_MS = 60_000;
const GOALS = { idlePercent: 0.5, p95Ms: 1_000, timesBare: 2 };

export async function run(options: BenchOptions): Promise<Record<string, number>> {
  const { folder, file } = await makeBenchFile(options);
  const environment = webEnvironment({
    KEEPSAKE_DATA_DIR: folder,
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
  });
  setWebEnvironment(environment);
  const { openSqlite } = await import('#db/database.ts');
  const db = await openSqlite(file);
  const streamers = await addOverlays(db, environment.ENCRYPTION_KEY ?? '');
  const web = await startWeb(environment);
  const bare = fork('tests/benchmarks/bare-stream.ts', { execArgv: ['--import', 'tsx'] });
  const [barePort] = (await once(bare, 'message')) as [number];
  const arrivals = new Map<string, number[]>();
  let frame = '';
  const open = await Promise.all(
    streamers.flatMap(({ secret }, place) =>
      Array.from({ length: BROWSERS }, () =>
        follow(new URL('/overlay/events', web.url), { secret, place }, (text) => {
          for (const [whole, id = ''] of text.matchAll(/id: (\S+)\ndata: [^\n]*"moment"[^\n]*\n\n/g)) {
            frame = whole;
            arrivals.set(id, [...(arrivals.get(id) ?? []), performance.now()]);
          }
        }),
      ),
    ),
  );
  const opened = await Promise.all(
    open.map((_, place) => follow(new URL(`http://127.0.0.1:${barePort}/`), { place }, () => {})),
  );
  await delay(SETTLING_MS);
  const idleMsEach = (await cpuOf(web.process, () => delay(IDLE_MS))) / IDLE_MS;
  const commits = new Map<string, number>();
  const busyMs = EVENTS * EVENT_EVERY_MS + 3_000;
  const webMs =
    (await cpuOf(web.process, async () => {
      for (let number = 0; number < EVENTS; number++) await send(db, streamers, commits);
      await delay(3_000);
    })) -
    idleMsEach * busyMs;
  const bareMs = await cpuOf(bare, async () => {
    for (let number = 0; number < EVENTS; number++) {
      bare.send(frame);
      await delay(EVENT_EVERY_MS);
    }
  });
  const latenesses = [...commits].flatMap(([id, atMs]) => {
    const times = arrivals.get(id) ?? [];
    if (times.length !== BROWSERS)
      throw new Error(`an event came ${times.length} times to ${BROWSERS} overlays`);
    return times.map((time) => time - atMs);
  });
  for (const each of [...open, ...opened]) each.destroy();
  bare.disconnect();
  await stopWeb(web);
  await db.close();
  const p95Ms =
    latenesses.toSorted((one, other) => one - other)[Math.ceil(latenesses.length * 0.95) - 1] ?? 0;
  const timesBare = webMs / bareMs;
  const idlePercent = idleMsEach * 100;
  return {
    overlays: open.length,
    idlePercent: rounded(idlePercent),
    p95Ms: Math.round(p95Ms),
    microsecondsEach: rounded((webMs * 1_000) / (EVENTS * OVERLAYS)),
    bareMicrosecondsEach: rounded((bareMs * 1_000) / (EVENTS * OVERLAYS)),
    timesBare: rounded(timesBare),
    ratio: rounded(
      Math.max(idlePercent / GOALS.idlePercent, p95Ms / GOALS.p95Ms, timesBare / GOALS.timesBare),
    ),
  };
}

type Store = Awaited<ReturnType<typeof import('#db/database.ts').openSqlite>>;
type Streamer = { userId: string; secret: string };

async function addOverlays(db: Store, key: string): Promise<Streamer[]> {
  const { sealColumnsWith } = await import('#db/engine/sealed-text.ts');
  const { createVault } = await import('#platform/vault.ts');
  const { openOverlay } = await import('#domain/overlay/set-overlay.ts');
  const { getOverlaySecrets } = await import('#domain/overlay/overlay.ts');
  const { addBot, addRule, addStreamer } = await import('#tests/support/fixtures.ts');
  sealColumnsWith(createVault(Buffer.from(key, 'hex').toString('base64')));
  await addBot(db);
  const streamers: Streamer[] = [];
  for (let number = 0; number < STREAMERS; number++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { name: 'Ten hours together', rewards: 2, watchMinutes: 600 });
    await openOverlay(db, { userId: streamer.userId, locale: 'en' }, Date.now());
    const secrets = await getOverlaySecrets(db.read, streamer.userId);
    streamers.push({ userId: streamer.userId, secret: secrets?.overlay ?? '' });
  }
  return streamers;
}

/** Opens a stream and passes on what it tells. */
function follow(
  address: URL,
  { secret, place }: { secret?: string; place: number },
  handle: (text: string) => void,
): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const asked = get(
      address,
      {
        agent: false,
        ...(secret && {
          headers: { [KEYS_HEADER]: `overlay:${secret}` },
          localAddress: `127.0.1.${1 + place}`,
        }),
      },
      (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`a stream was answered ${answer.statusCode}`));
        answer.setEncoding('utf8').on('data', handle);
        // It ends when the measuring does.
        answer.on('error', () => {});
        resolve(asked);
      },
    );
    asked.on('error', reject);
  });
}

/** Commits one event for each streamer, and notes when. */
async function send(db: Store, streamers: readonly Streamer[], commits: Map<string, number>): Promise<void> {
  const { events } = await import('#db/schema/outbox.ts');
  const { newId } = await import('#domain/kernel/id.ts');
  const nowMs = Date.now();
  const rows = streamers.map(({ userId }) => ({
    id: newId(nowMs),
    userId,
    kind: 'overlay.tested',
    subjectId: userId,
    atMs: nowMs,
  }));
  await db.transaction((tx) => tx.insert(events).values(rows));
  for (const { id } of rows) commits.set(id, performance.now());
  await delay(EVENT_EVERY_MS);
}

async function cpuOf({ pid }: ChildProcess, doing: () => Promise<unknown>): Promise<number> {
  const before = cpuMsOf(pid ?? 0);
  await doing();
  return cpuMsOf(pid ?? 0) - before;
}
