// The whole product with users and faults, killed at random. Its last line is JSON; violations are listed above it, with
// exit code 1. Whatever hangs, it ends in time and with it all its processes.
import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isBuildStale } from '../../tools/build.ts';
import { type Actor, play } from './actor.ts';
import { countActs, listActs, missingActs, movedTransfers, WHOLE_MINUTES } from './acts.ts';
import { compare } from './compare.ts';
import { heal, LONGEST_REST_MS } from './heal.ts';
import { clockSteps } from './host-clock.ts';
import { inTime } from './in-time.ts';
import { killer } from './monkey.ts';
import { findPlanted } from './plant.ts';
import { Processes } from './processes.ts';
import { Progress } from './progress.ts';
import { snapshots } from './snapshots.ts';
import { makeFolder, openStage, type Stage } from './stage.ts';
import { offerAnswers, steamWhims } from './steam-deeds.ts';
import { deposits, openRules, streamerDeeds } from './streamer-deeds.ts';
import { troubles } from './troubles.ts';
import { gather, passingTime, twitchDeeds } from './twitch-deeds.ts';
import { channelPoints, claims } from './viewer-deeds.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    viewers: { type: 'string', default: '30' },
    keep: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const [minutes, seed, viewers] = [values.minutes, values.seed, values.viewers].map(Number) as [
  number,
  number,
  number,
];
const minuteMs = 60_000;
const isWhole = minutes >= WHOLE_MINUTES;
/** The time for opening, for coming to rest twice, and for comparing, beside the minutes of the actors. */
const LIMIT_MS = (minutes + 10) * minuteMs + 2 * LONGEST_REST_MS;
/** The longest time that an actor needs for what it has begun. */
const LAST_ACT_MS = minuteMs;

if (isBuildStale(resolve(import.meta.dirname, '../..'))) {
  console.error('The processes run the build: npm run build');
  process.exit(2);
}
const folder = makeFolder();
const processes = new Processes(folder);
const violations = new Set<string>();
const result: Record<string, unknown> = {};
let tally: Stage['tally'] | undefined;
const progress = new Progress();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => {
    processes.killAll();
    process.exit(code);
  });
try {
  await inTime(LIMIT_MS, () => progress.phase, soak());
} catch (error) {
  violations.add(`the soak: ${error instanceof Error ? error.stack : String(error)}`);
}
processes.killAll();
progress.end();
report();

async function soak(): Promise<void> {
  progress.enter('opens the stage');
  const stage = await openStage({ folder, processes, seed, streamers: 4, viewers });
  ({ tally } = stage);
  result.dialect = stage.dialect;
  progress.enter('opens rules');
  await openRules(stage);
  await gather(stage);
  progress.enter(`acts for ${minutes} min`, () => listActs(countActs(stage.tally.toJSON(), [])));
  await act(stage, minutes * minuteMs);
  for (const restless of await heal(stage, progress)) violations.add(`never came to rest: ${restless}`);
  progress.enter('stops the processes');
  await processes.stopAll();
  progress.enter('compares');
  for (const violation of await compare(stage)) violations.add(violation);
  const moved = await movedTransfers(stage);
  const acts = countActs(stage.tally.toJSON(), moved);
  const missing = missingActs(acts);
  Object.assign(result, { acts, missing, transfers: countByEnd(moved) });
  if (isWhole) for (const kind of missing) violations.add(`too seldom: ${kind}`);
  const planted = await findPlanted(stage, (phase) => progress.enter(phase));
  result.plantedFaults = planted;
  for (const [fault, outcome] of Object.entries(planted))
    if (outcome === 'not found' || (outcome !== 'found' && isWhole))
      violations.add(`the planted fault ${fault}: ${outcome}`);
  await stage.db.close();
}

/** Runs all actors for this long; the first bug in the soak itself ends it. */
async function act(all: Stage, forMs: number): Promise<void> {
  const actors: Actor[] = [
    streamerDeeds(all),
    ...all.streamers.map((streamer) => deposits(all, streamer)),
    claims(all),
    channelPoints(all),
    offerAnswers(all),
    steamWhims(all),
    twitchDeeds(all),
    passingTime(all),
    troubles(all),
    killer(all),
    clockSteps(all),
    snapshots(all, violations),
  ];
  const { over } = all;
  setMaxListeners(0, over.signal);
  const acting = new Set(actors.map(({ name }) => name));
  const playing = Promise.all(
    actors.map((actor) => play(actor, over.signal).then(() => acting.delete(actor.name))),
  );
  await Promise.race([playing, delay(forMs, undefined, { ref: false })]);
  over.abort();
  await inTime(LAST_ACT_MS, () => `the actors ${[...acting].join(', ')}`, playing);
}

/** Counts transfers by their end: a run that was starved proves little. */
function countByEnd(moved: Awaited<ReturnType<typeof movedTransfers>>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, state } of moved) counts[`${kind}: ${state}`] = (counts[`${kind}: ${state}`] ?? 0) + 1;
  return counts;
}

function report(): never {
  for (const violation of violations) console.error(violation);
  const isSound = violations.size === 0;
  if (isSound && !values.keep) rmSync(folder, { recursive: true, force: true });
  else console.error(`seed ${seed}; all output is in ${folder}`);
  console.log(
    JSON.stringify({
      name: 'soak',
      store: values.postgres ? 'PostgreSQL' : 'SQLite',
      seed,
      minutes,
      viewers,
      seconds: progress.seconds,
      ...result,
      deeds: tally,
      violations: violations.size,
    }),
  );
  process.exit(isSound ? 0 : 1);
}
