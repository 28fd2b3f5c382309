// Two hundred streamers with an overlay each, at one web process: its CPU time at rest, the time from the commit of a
// promise until the overlay has it, and the CPU time for each promise beside that of a bare write of the same to as many
// connections. Beside the moment an overlay gets the new count of its pool. Rest begins after the first readings, whose CPU
// time for each overlay is a value of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, get } from 'node:http';
import { setTimeout as delay, setImmediate as yieldNow } from 'node:timers/promises';
import { KEYS_HEADER } from '#app/overlay/protocol.ts';
import { day } from '#domain/kernel/time.ts';
import { setWebEnvironment, webEnvironment } from '#tests/app/support/web-environment.ts';
import { startWeb, stopWeb } from '#tests/app/support/web-process.ts';
import { rounded } from '#tests/benchmarks/measure.ts';
import { cpuMsOf } from '#tests/benchmarks/process-cpu.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';

const STREAMERS = 200;
/** Rewards that each of them promises, one after another. */
const ROUNDS = 30;
/** Few enough that a bot with room for all items of a deposit is left. */
const STREAMERS_OF_BOT = 5;
const ROUND_MS = 1_500;
/** Until each overlay has read once who is closest: they take turns at it, in a small share of the time. */
const SETTLING_MS = 120_000;
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
  const arrivals = streamers.map((): number[] => []);
  let frame = '';
  const settlingFromMs = cpuMsOf(web.process.pid ?? 0);
  const open = await Promise.all(
    streamers.map(({ secret }, place) =>
      follow(new URL('/overlay/events', web.url), { secret, place }, (text) => {
        const [whole] = text.match(/id: \S+\ndata: [^\n]*"moment"[^\n]*\n\n/) ?? [];
        if (whole === undefined) return;
        frame = whole;
        arrivals[place]?.push(performance.now());
      }),
    ),
  );
  const opened = await Promise.all(
    open.map((_, place) => follow(new URL(`http://127.0.0.1:${barePort}/`), { place }, () => {})),
  );
  await delay(SETTLING_MS);
  const settlingMs = cpuMsOf(web.process.pid ?? 0) - settlingFromMs;
  const idleMsEach = (await cpuOf(web.process, () => delay(IDLE_MS))) / IDLE_MS;
  const commits = streamers.map((): number[] => []);
  const beganAt = performance.now();
  const busyMs = await cpuOf(web.process, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const pause = delay(ROUND_MS);
      await promiseEach(db, streamers, commits);
      await pause;
    }
    await delay(3_000);
  });
  const webMs = busyMs - idleMsEach * (performance.now() - beganAt);
  const bareMs = await cpuOf(bare, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      bare.send(frame);
      await delay(200);
    }
  });
  const latenesses = commits.flatMap((times, place) =>
    times.map((atMs, round) => {
      const arrivedAt = arrivals[place]?.[round];
      if (arrivedAt === undefined || arrivals[place]?.length !== ROUNDS)
        throw new Error(`an overlay got ${arrivals[place]?.length} of ${ROUNDS} moments`);
      return arrivedAt - atMs;
    }),
  );
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
    settlingMs: rounded(settlingMs / open.length),
    idlePercent: rounded(idlePercent),
    p95Ms: Math.round(p95Ms),
    microsecondsEach: rounded((webMs * 1_000) / (ROUNDS * STREAMERS)),
    bareMicrosecondsEach: rounded((bareMs * 1_000) / (ROUNDS * STREAMERS)),
    timesBare: rounded(timesBare),
    ratio: rounded(
      Math.max(idlePercent / GOALS.idlePercent, p95Ms / GOALS.p95Ms, timesBare / GOALS.timesBare),
    ),
  };
}

type Store = Awaited<ReturnType<typeof import('#db/database.ts').openSqlite>>;
type Streamer = { channelId: string; ruleId: string; secret: string };

/** Streamers whose viewers have met a rule and wait for its rewards. */
async function addOverlays(db: Store, key: string): Promise<Streamer[]> {
  const { sealColumnsWith } = await import('#db/engine/sealed-text.ts');
  const { createVault } = await import('#platform/vault.ts');
  const { openOverlay } = await import('#domain/overlay/set-overlay.ts');
  const { getOverlaySecrets } = await import('#domain/overlay/overlay.ts');
  const { evaluateChannel } = await import('#domain/rule/evaluate-channel.ts');
  const { addBot, addPerson, addRule, addStreamer } = await import('#tests/support/fixtures.ts');
  const { watchFor } = await import('#tests/support/watching.ts');
  sealColumnsWith(createVault(Buffer.from(key, 'hex').toString('base64')));
  const nowMs = Date.now();
  const viewers = [];
  for (let number = 0; number < ROUNDS; number++) viewers.push(await addPerson(db));
  const streamers: Streamer[] = [];
  for (let number = 0; number < STREAMERS; number++) {
    if (number % STREAMERS_OF_BOT === 0) await addBot(db);
    const streamer = await addStreamer(db);
    const { userId, twitchId: channelId } = streamer;
    const ruleId = await addRule(db, streamer, {
      name: 'Ten minutes together',
      rewards: ROUNDS,
      watchMinutes: 10,
      nowMs,
    });
    await watchFor(
      db,
      channelId,
      viewers.map(({ twitchId }) => [twitchId, 600] as const),
    );
    // Its items were still locked then, so that the viewers who meet it wait.
    await evaluateChannel(db, channelId, nowMs - 2 * day);
    await openOverlay(db, { userId, locale: 'en' }, nowMs);
    const secrets = await getOverlaySecrets(db.read, userId);
    streamers.push({ channelId, ruleId, secret: secrets?.overlay ?? '' });
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
          localAddress: `127.0.1.${1 + (place % 200)}`,
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

/** Promises one reward of each streamer to the viewer who is next, and notes when. */
async function promiseEach(db: Store, streamers: readonly Streamer[], commits: number[][]): Promise<void> {
  const { channelLock } = await import('#domain/kernel/locks.ts');
  const { serveWaiting } = await import('#domain/reward/serve-waiting.ts');
  for (const [place, { channelId, ruleId }] of streamers.entries()) {
    const { promised } = await db.transaction((tx) => serveWaiting(tx, [ruleId], Date.now(), 1), {
      lock: channelLock(channelId),
    });
    if (promised !== 1) throw new Error(`${promised} rewards were promised`);
    commits[place]?.push(performance.now());
    // Arrivals are noted now, and not after the whole round.
    await yieldNow();
  }
}

async function cpuOf({ pid }: ChildProcess, doing: () => Promise<unknown>): Promise<number> {
  const before = cpuMsOf(pid ?? 0);
  await doing();
  return cpuMsOf(pid ?? 0) - before;
}
