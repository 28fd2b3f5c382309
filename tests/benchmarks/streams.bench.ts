// A thousand event streams at one web process: its CPU time while nothing happens, what a viewer's counted minute costs it
// on a page, what loading a page's data again costs, and the time from the commit of a change until its user's page has it.
// A stream in two shows live channels. What 100,000 open pages cost follows from these: what the process does for a few
// streams, it does once for all.
import { type ClientRequest, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { setWebEnvironment, webEnvironment } from '#tests/app/support/web-environment.ts';
import { startWeb, stopWeb, type Web } from '#tests/app/support/web-process.ts';
import { rounded } from '#tests/benchmarks/measure.ts';
import { cookieOf } from '#tests/benchmarks/page-web.ts';
import { cpuMsOf } from '#tests/benchmarks/process-cpu.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';

const STREAMS = 1_000;
const LIVE_CHANNELS = 20;
/** Streams of one network address are limited, so the pages have several. */
const STREAMS_OF_ADDRESS = 100;
const OPENED_AT_ONCE = 20;
/** With these open the process does all that does not depend on their number. */
const FEW = 20;
const FEW_SETTLING_MS = 30_000;
const CHANGES = 300;
const CHANGE_EVERY_MS = 97;
/** V8 collects for up to two minutes what opening a thousand streams has left. */
const SETTLING_MS = 120_000;
const MEASURED_MS = 60_000;
/** Times that a minute is counted on all channels, longer apart than the web looks. */
const MINUTES = 4;
const MINUTE_EVERY_MS = 8_000;
const [WARM_UP_LOADS, LOADS] = [100, 300];
const MANY = 100_000;
/** A page with an open stream is loaded again about so often, if nothing on it changes. */
const RELOAD_EVERY_S = 600;
/** `manyStreamsCores`: what so many open streams take, and counted minutes through them, without any loading. */
const GOALS = { idlePercent: 1, p95Ms: 600, manyStreamsCores: 0.5 };

interface Follower {
  userId: string;
  twitchId: string;
  token: string;
  path: string;
}

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
  const followers = await addFollowers(db);
  const web = await startWeb(environment);
  const arrivals: Arrivals = { atMs: new Map(), counted: 0 };
  const open: ClientRequest[] = [];
  const openUntil = async (amount: number) => {
    for (let first = open.length; first < amount; first += OPENED_AT_ONCE) {
      const some = followers.slice(first, Math.min(amount, first + OPENED_AT_ONCE));
      open.push(
        ...(await Promise.all(some.map((each, place) => follow(web, each, first + place, arrivals)))),
      );
    }
  };
  const cpuMs = () => cpuMsOf(web.process.pid ?? 0);
  /** CPU time a second of what happens meanwhile. */
  const cpuPerS = async (meanwhile: () => Promise<unknown>) => {
    const [before, begin] = [cpuMs(), performance.now()];
    await meanwhile();
    return (cpuMs() - before) / ((performance.now() - begin) / 1000);
  };
  await openUntil(FEW);
  await delay(FEW_SETTLING_MS);
  const fewMs = await cpuPerS(() => delay(MEASURED_MS));
  await openUntil(STREAMS);
  await delay(SETTLING_MS);
  const idleMsPerS = await cpuPerS(() => delay(MEASURED_MS));
  const idlePercent = idleMsPerS / 10;
  const beforeMinutes = { cpuMs: cpuMs(), begin: performance.now(), events: arrivals.counted };
  await countMinutes(db, followers);
  const idleMs = ((performance.now() - beforeMinutes.begin) * idlePercent) / 100;
  const counted = arrivals.counted - beforeMinutes.events;
  const countedUs = ((cpuMs() - beforeMinutes.cpuMs - idleMs) * 1000) / counted;
  await loadPages(web, followers, WARM_UP_LOADS);
  const beforeLoads = { cpuMs: cpuMs(), begin: performance.now() };
  await loadPages(web, followers, LOADS);
  const idleThenMs = ((performance.now() - beforeLoads.begin) * idlePercent) / 100;
  const loadMs = (cpuMs() - beforeLoads.cpuMs - idleThenMs) / LOADS;
  const latenesses = (await change(db, followers, arrivals.atMs)).toSorted((one, other) => one - other);
  for (const each of open) each.destroy();
  await stopWeb(web);
  await db.close();
  const p95Ms = latenesses[Math.ceil(latenesses.length * 0.95) - 1] ?? Number.POSITIVE_INFINITY;
  const medianMs = latenesses[Math.floor(latenesses.length / 2)] ?? 0;
  const pageIdleUs = Math.max(0, ((idleMsPerS - fewMs) * 1000) / (STREAMS - FEW));
  const many = costsOfMany({ pageIdleUs, countedUs, loadMs });
  const measured = { idlePercent, p95Ms, ...many };
  const shares = Object.entries(GOALS).map(([name, goal]) => measured[name as keyof typeof GOALS] / goal);
  return {
    idlePercent: rounded(idlePercent),
    fewPercent: rounded(fewMs / 10),
    pageIdleUs: rounded(pageIdleUs),
    counted,
    countedUs: rounded(countedUs),
    loadMs: rounded(loadMs),
    ...many,
    medianMs: Math.round(medianMs),
    p95Ms: Math.round(p95Ms),
    streams: open.length,
    ratio: rounded(Math.max(...shares)),
  };
}

/** The cores that so many pages take, each of which shows one live channel. */
function costsOfMany(each: { pageIdleUs: number; countedUs: number; loadMs: number }) {
  const idle = (MANY * each.pageIdleUs) / 1e6;
  const counted = (MANY * each.countedUs) / 60e6;
  const loads = (MANY * each.loadMs) / 1000 / RELOAD_EVERY_S;
  return {
    manyStreamsCores: rounded(idle + counted),
    manyLoadsCores: rounded(loads),
  };
}

/** Loads the data of pages again as their browsers do, one after another. */
async function loadPages({ url }: Web, followers: readonly Follower[], times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const { token = '' } = followers[(time * 37) % followers.length] ?? {};
    const answer = await fetch(new URL('/rewardProgress.data', url), {
      headers: { Cookie: cookieOf(token) },
    });
    if (answer.status !== 200) throw new Error(`a page was answered ${answer.status}`);
    await answer.arrayBuffer();
  }
}

/** The arrivals of changes by their subjects, and the number of counted minutes that arrived. */
interface Arrivals {
  atMs: Map<string, number>;
  counted: number;
}

type Store = Awaited<ReturnType<typeof import('#db/database.ts').openSqlite>>;

async function addFollowers(db: Store): Promise<Follower[]> {
  const { openSession } = await import('#domain/identity/session/open-session.ts');
  const { addPerson, addRule, addStreamer } = await import('#tests/support/fixtures.ts');
  const { goLive } = await import('#tests/support/stream.ts');
  const channels: string[] = [];
  for (let number = 0; number < LIVE_CHANNELS; number++) {
    const streamer = await addStreamer(db);
    const { twitchId } = streamer;
    await addRule(db, streamer, { watchMinutes: 6_000, rewards: 0 });
    await goLive(db, twitchId, Date.now(), `s${number}`);
    channels.push(`channel=${twitchId}`);
  }
  const followers: Follower[] = [];
  for (let number = 0; number < STREAMS; number++) {
    const { userId, twitchId } = await addPerson(db);
    const { token } = await openSession(db, { userId, userAgent: 'bench' }, Date.now());
    const shown = [0, 1, 2].map((nth) => channels[(number + nth) % LIVE_CHANNELS]);
    followers.push({
      userId,
      twitchId,
      token,
      path: number % 2 === 0 ? `/events?${shown.join('&')}` : '/events',
    });
  }
  return followers;
}

/** Has a minute counted for all viewers on each channel that they look at, several times. */
async function countMinutes(db: Store, followers: readonly Follower[]): Promise<void> {
  const { channels } = await import('#db/schema/channel.ts');
  const { watchFor } = await import('#tests/support/watching.ts');
  const { eq, sql } = await import('drizzle-orm');
  const viewersOf = new Map<string, string[]>();
  for (const { twitchId, path } of followers)
    for (const channelId of new URL(path, 'http://web').searchParams.getAll('channel'))
      viewersOf.set(channelId, [...(viewersOf.get(channelId) ?? []), twitchId]);
  for (let minute = 0; minute < MINUTES; minute++) {
    for (const [channelId, viewers] of viewersOf)
      await watchFor(
        db,
        channelId,
        viewers.map((twitchId) => [twitchId, 60]),
      );
    await db.transaction(async (tx) => {
      await tx
        .update(channels)
        .set({ watchedUntilMs: sql`coalesce(${channels.watchedUntilMs}, 0) + 60000` })
        .where(eq(channels.live, true));
    });
    await delay(MINUTE_EVERY_MS);
  }
}

/** Opens a stream and notes when each subject arrives on it. */
function follow(
  { url }: Web,
  { token, path }: Follower,
  place: number,
  arrivals: Arrivals,
): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const asked = get(
      new URL(path, url),
      {
        agent: false,
        headers: { Cookie: cookieOf(token), Accept: 'text/event-stream' },
        localAddress: `127.0.1.${1 + Math.floor(place / STREAMS_OF_ADDRESS)}`,
      },
      (answer) => {
        if (answer.statusCode !== 200) return reject(new Error(`a stream was answered ${answer.statusCode}`));
        answer.setEncoding('utf8').on('data', (text: string) => {
          for (const [, subject = ''] of text.matchAll(/"subjectId":"(change-\d+)"/g))
            if (!arrivals.atMs.has(subject)) arrivals.atMs.set(subject, performance.now());
          arrivals.counted += text.split('"watch.counted"').length - 1;
        });
        // It ends when the measuring does.
        answer.on('error', () => {});
        resolve(asked);
      },
    );
    asked.on('error', reject);
  });
}

/** Commits changes of single users, and returns how many milliseconds later each was on its user's stream. */
async function change(
  db: Store,
  followers: readonly Follower[],
  arrivals: ReadonlyMap<string, number>,
): Promise<number[]> {
  const { announce } = await import('#domain/outbox/announce.ts');
  const commits = new Map<string, number>();
  for (let number = 0; number < CHANGES; number++) {
    const { userId = '' } = followers[(number * 37) % followers.length] ?? {};
    const subjectId = `change-${number}`;
    await db.transaction((tx) => announce(tx, [{ userId, kind: 'transfer.changed', subjectId }], Date.now()));
    commits.set(subjectId, performance.now());
    await delay(CHANGE_EVERY_MS);
  }
  await delay(5_000);
  return [...commits].map(([subject, atMs]) => (arrivals.get(subject) ?? Number.POSITIVE_INFINITY) - atMs);
}
