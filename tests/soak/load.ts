// npm run load -- --minutes 60: the built product on a small disk, which is filled and freed twice, while people read
// pages, follow events, deposit and claim. Linux, as root. Its last line is JSON; violations are listed above it, with exit
// code 1.
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { errorCode } from '#db/error-code.ts';
import { isBuildStale } from '../../tools/build.ts';
import { type Actor, play } from './actor.ts';
import { compare } from './compare.ts';
import { Figures } from './figures.ts';
import { type Fullness, faultsWhileFull, fillAndFree } from './fill-and-free.ts';
import { heal, LONGEST_REST_MS } from './heal.ts';
import { inTime } from './in-time.ts';
import { Processes } from './processes.ts';
import { Progress } from './progress.ts';
import { canMount, SmallDisk } from './small-disk.ts';
import { snapshots } from './snapshots.ts';
import { makeFolder, openStage, type Stage } from './stage.ts';
import { offerAnswers } from './steam-deeds.ts';
import { deposits, openRules, streamerDeeds } from './streamer-deeds.ts';
import { gather, passingTime, twitchDeeds } from './twitch-deeds.ts';
import { channelPoints, claims } from './viewer-deeds.ts';
import { follower, newVisits, reader } from './visitors.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    viewers: { type: 'string', default: '30' },
    figures: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const [minutes, seed, viewers] = [values.minutes, values.seed, values.viewers].map(Number) as [
  number,
  number,
  number,
];
const minuteMs = 60_000;
const DISK_MIB = 256;
const STREAMS_EACH = 2;
/** People act as in the soak, which takes minutes; each has pieces enough for that. */
const pace = Math.max(1, minutes / 5);
const LIMIT_MS = (minutes + 10) * minuteMs + 2 * LONGEST_REST_MS;

if (isBuildStale(resolve(import.meta.dirname, '../..'))) {
  console.error('The processes run the build: npm run build');
  process.exit(2);
}
if (!canMount()) {
  console.error('A disk of its own can be mounted by root on Linux alone.');
  process.exit(2);
}
const folder = makeFolder();
const disk = SmallDisk.mount(folder, DISK_MIB);
const processes = new Processes(folder);
const violations = new Set<string>();
const result: Record<string, unknown> = {};
const figures = new Figures(values.figures ?? join(folder, 'figures.json'));
const progress = new Progress();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => {
    processes.killAll();
    disk.unmount();
    process.exit(code);
  });
try {
  await inTime(LIMIT_MS, () => progress.phase, load());
} catch (error) {
  violations.add(`the load: ${error instanceof Error ? error.stack : String(error)}`);
}
processes.killAll();
progress.end();
report();

async function load(): Promise<void> {
  progress.enter('opens the stage');
  const metricsToken = randomBytes(16).toString('hex');
  const settings = { METRICS_TOKEN: metricsToken, TRUST_PROXY: 'true' };
  const stage = await openStage({
    folder,
    processes,
    seed,
    streamers: 4,
    viewers,
    dataFolder: disk.folder,
    settings,
    // As Steam answers as a rule: some dialects take minutes for each deposit.
    dialect: {},
  });
  await openRules(stage);
  await gather(stage);
  const fullness: Fullness[] = [];
  const visits = newVisits();
  const actors = actorsOf(stage, visits, fullness);
  progress.enter(`acts for ${minutes} min`, () => JSON.stringify(figures.minutes.at(-1) ?? {}));
  const measuring = setInterval(() => void figures.take(stage, { disk, visits, metricsToken }), minuteMs);
  await act(stage, actors, fullness);
  clearInterval(measuring);
  for (const restless of await heal(stage, progress)) violations.add(`never came to rest: ${restless}`);
  await processes.stopAll();
  progress.enter('compares');
  for (const violation of await compare(stage)) violations.add(violation);
  await stage.db.close();
  for (const each of fullness) for (const violation of faultsWhileFull(each)) violations.add(violation);
  Object.assign(result, { fullness, pages: Object.fromEntries(visits.pages), events: visits.events });
  Object.assign(result, {
    endedStreams: visits.endedStreams,
    claims: stage.claimed.size,
    deeds: stage.tally,
  });
  figures.write({ ...result, violations: [...violations] });
}

function actorsOf(stage: Stage, visits: ReturnType<typeof newVisits>, fullness: Fullness[]): Actor[] {
  const everybody = [...stage.streamers, ...stage.viewers];
  const onError = (what: string) => {
    const current = fullness.at(-1);
    if (current && !current.isOver) current.errors.push(what);
    else violations.add(what);
  };
  const slow = (actor: Actor, times = pace): Actor => ({ ...actor, pauseMs: () => actor.pauseMs() * times });
  return [
    ...everybody.map((person, place) => reader(stage, { person, place, visits, onError })),
    ...Array.from({ length: STREAMS_EACH }, (_, turn) =>
      everybody.map((person, n) => follower(stage, { person, place: n + turn * everybody.length, visits })),
    ).flat(),
    slow(streamerDeeds(stage)),
    ...stage.streamers.map((streamer) => slow(deposits(stage, streamer))),
    claims(stage),
    slow(channelPoints(stage)),
    slow(offerAnswers(stage), 3),
    slow(twitchDeeds(stage), 3),
    passingTime(stage),
    slow(snapshots(stage, violations)),
  ].map(sparing);
}

/** Lets an actor go on although our own connection could not store something on the full disk. */
function sparing(actor: Actor): Actor {
  const act = async () => {
    try {
      await actor.act();
    } catch (error) {
      if (!disk.isFull || !errorCode(error).startsWith('SQLITE_')) throw error;
    }
  };
  return { ...actor, act };
}

/** Runs all actors for the given time, a third of which passes before each time that the disk is filled. */
async function act(stage: Stage, actors: readonly Actor[], fullness: Fullness[]): Promise<void> {
  const { over } = stage;
  setMaxListeners(0, over.signal);
  const endMs = Date.now() + minutes * minuteMs;
  const playing = Promise.all(actors.map((actor) => play(actor, over.signal)));
  const filling = (async () => {
    for (const third of [1, 2]) {
      await delay(endMs - minutes * minuteMs * (1 - third / 3) - Date.now());
      await fillAndFree(stage, { disk, forMs: (minutes * minuteMs) / 12, fullness });
    }
    await delay(endMs - Date.now());
  })();
  await Promise.race([playing, filling]);
  over.abort();
  await inTime(minuteMs, () => 'the actors', playing);
}

function report(): never {
  for (const violation of violations) console.error(violation);
  const isSound = violations.size === 0;
  disk.unmount();
  if (isSound && !values.keep) rmSync(folder, { recursive: true, force: true });
  else console.error(`seed ${seed}; all output is in ${folder}`);
  console.log(
    JSON.stringify({
      name: 'load',
      seed,
      minutes,
      viewers,
      seconds: progress.seconds,
      ...result,
      violations: violations.size,
    }),
  );
  process.exit(isSound ? 0 : 1);
}
