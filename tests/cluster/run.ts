// A run of the cluster. Its last line is JSON; violations are listed above it.
import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Actor, play } from '../soak/actor.ts';
import { compare } from '../soak/compare.ts';
import { heal, LONGEST_REST_MS } from '../soak/heal.ts';
import { inTime } from '../soak/in-time.ts';
import { findPlanted } from '../soak/plant.ts';
import { Processes } from '../soak/processes.ts';
import { Progress } from '../soak/progress.ts';
import { checkStore } from '../soak/snapshots.ts';
import { openStage, type Stage } from '../soak/stage.ts';
import { offerAnswers } from '../soak/steam-deeds.ts';
import { deposits, openRules, streamerDeeds } from '../soak/streamer-deeds.ts';
import { gather, twitchDeeds } from '../soak/twitch-deeds.ts';
import { channelPoints, claims } from '../soak/viewer-deeds.ts';
import { doubledAnswersOf, findLost, findPlantedHere } from './check-cluster.ts';
import type { Database } from './database.ts';
import { countHappened, missingIn, WHOLE_MINUTES } from './enough.ts';
import type { Front } from './front.ts';
import { ClusterClock, ClusterLayout, type ClusterPorts } from './layout.ts';
import { type ClusterRecord, mishapKinds, mishaps, newRecord } from './mishaps.ts';
import { Outages } from './outages.ts';
import { questions } from './questions.ts';
import { makeVersions } from './versions.ts';

export interface Cluster {
  folder: string;
  ports: ClusterPorts;
  front: Front;
  database: Database;
}

const minuteMs = 60_000;
/** The longest pause of a process is a share of the run, and no longer than this. */
const LONGEST_PAUSE_S = 90;
const PAUSES_SHARE = 10;
/** The longest time that every kind of mishap takes once. */
const LONGEST_DECK_MS = 6 * minuteMs;
/** The longest time that an actor needs for what it has begun: a crossed pause and what follows it. */
const LAST_ACT_MS = 6 * minuteMs;

const options = {
  minutes: { type: 'string', default: '10' },
  seed: { type: 'string', default: '1' },
  viewers: { type: 'string', default: '20' },
  before: { type: 'string' },
  keep: { type: 'boolean', default: false },
} as const;

/** A run under way. */
interface Run extends Cluster {
  minutes: number;
  seed: number;
  viewers: number;
  /** The commit whose build is upgraded; undefined: this build. */
  before: string | undefined;
  processes: Processes;
  progress: Progress;
  violations: Set<string>;
}

/** Runs it as the arguments say. Returns whether all was well. */
export async function runCluster(cluster: Cluster): Promise<boolean> {
  const { values } = parseArgs({ options });
  const [minutes, seed, viewers] = [values.minutes, values.seed, values.viewers].map(Number) as [
    number,
    number,
    number,
  ];
  const processes = new Processes(cluster.folder);
  process.once('exit', () => processes.killAll());
  const progress = new Progress();
  const violations = new Set<string>();
  const { before } = values;
  const limitMs = (minutes + 18) * minuteMs + 2 * LONGEST_REST_MS;
  let result: Record<string, unknown> = {};
  try {
    const run = runWhole({ ...cluster, minutes, seed, viewers, before, processes, progress, violations });
    result = await inTime(limitMs, () => progress.phase, run);
  } catch (error) {
    violations.add(`the cluster: ${error instanceof Error ? error.stack : String(error)}`);
  }
  processes.killAll();
  progress.end();
  for (const violation of violations) console.error(violation);
  const isSound = violations.size === 0;
  if (isSound && !values.keep) rmSync(cluster.folder, { recursive: true, force: true });
  else console.error(`seed ${seed}; all output is in ${cluster.folder}`);
  const { seconds } = progress;
  console.log(
    JSON.stringify({ name: 'cluster', seed, minutes, seconds, ...result, violations: violations.size }),
  );
  return isSound;
}

async function runWhole(run: Run): Promise<Record<string, unknown>> {
  const { folder, minutes, processes, progress, violations } = run;
  progress.enter('prepares the versions');
  const versions = makeVersions(folder, run.before);
  progress.enter('opens the stage');
  const outages = new Outages();
  const clock = new ClusterClock(folder);
  const layout = new ClusterLayout({
    ports: run.ports,
    clock,
    installation: versions.before,
    outages,
  });
  // Steam answers as a rule: some dialects take minutes for each deposit.
  const stage = await openStage({ ...run, streamers: 3, layout, dialect: {} });
  await openRules(stage, { pairs: 3 });
  await gather(stage);
  const record = newRecord();
  const maxPauseS = Math.min(LONGEST_PAUSE_S, Math.max(6, (minutes * 60) / PAUSES_SHARE));
  const befalls = mishaps(stage, { ...run, layout, outages, versions, maxPauseS }, record);
  progress.enter(`acts for ${minutes} min`, () => JSON.stringify(record.mishaps));
  const actors = actorsOf(stage, outages, violations).map(outages.spare);
  await act(stage, [...actors, befalls], () => allHappened(minutes, record));
  for (const restless of await heal(stage, progress, false))
    violations.add(`never came to rest: ${restless}`);
  progress.enter('stops the processes');
  await processes.stopAll();
  progress.enter('compares');
  const judged = await judge(stage, record, minutes >= WHOLE_MINUTES);
  for (const violation of judged.violations) violations.add(violation);
  const plantedFaults = {
    ...(await findPlanted(stage, (phase) => progress.enter(phase))),
    ...(await findPlantedHere(stage)),
  };
  for (const [fault, outcome] of Object.entries(plantedFaults))
    if (outcome === 'not found') violations.add(`the planted fault ${fault}: ${outcome}`);
  await stage.db.close();
  const before = run.before ?? 'this build';
  return { before, ...judged.figures, plantedFaults, deeds: stage.tally };
}

const actorsOf = (stage: Stage, outages: Outages, violations: Set<string>): Actor[] => [
  streamerDeeds(stage),
  ...stage.streamers.map((streamer) => deposits(stage, streamer)),
  claims(stage, { shortestMs: 1000, longestMs: 2500 }),
  channelPoints(stage),
  offerAnswers(stage),
  twitchDeeds(stage, ['!rewards']),
  questions(stage),
  leaps(stage),
  looks(stage, outages, violations),
];

/** Compares what is stored with the platforms and with what was answered. */
async function judge(stage: Stage, record: ClusterRecord, isWhole: boolean) {
  const { rolling, upgrade, refusal, mishaps: happened, failoverMs } = record;
  const differences = await compare(stage);
  const { acknowledged, lost } = await findLost(stage);
  const { answers, doubled } = doubledAnswersOf(stage);
  const counts = await countHappened(stage, record, { answers, acknowledged });
  const missing = missingIn(counts, record);
  return {
    violations: [
      ...differences,
      ...lost,
      ...doubled,
      ...rolling.failed.map((failure) => `rolling restart: ${failure}`),
      ...upgrade.failed.map((failure) => `upgrade: ${failure}`),
      ...(isWhole ? missing.map((kind) => `too seldom: ${kind}`) : []),
    ],
    figures: {
      mishaps: happened,
      failoverMs,
      counts,
      missing,
      lostAcknowledgements: lost.length,
      doubledOffers: differences.filter((each) => each.includes('has the offers')).length,
      doubledAnswers: doubled.length,
      rolling: { requests: rolling.requests, failed: rolling.failed.length },
      upgrade: { requests: upgrade.requests, failed: upgrade.failed.length, refusal },
    },
  };
}

/** Returns after these minutes, and once everything has happened that can. */
async function allHappened(minutes: number, { mishaps: happened }: ClusterRecord): Promise<void> {
  await delay(minutes * minuteMs);
  const lastMs = Date.now() + LONGEST_DECK_MS;
  while (mishapKinds.some((kind) => happened[kind] === 0) && Date.now() < lastMs) await delay(500);
}

/** Runs all actors until then; the first bug in the cluster's own code ends it. */
async function act(stage: Stage, actors: readonly Actor[], end: () => Promise<void>): Promise<void> {
  const { over } = stage;
  setMaxListeners(0, over.signal);
  const acting = new Set(actors.map(({ name }) => name));
  const playing = Promise.all(
    actors.map((actor) => play(actor, over.signal).then(() => acting.delete(actor.name))),
  );
  await Promise.race([playing, end()]);
  over.abort();
  await inTime(LAST_ACT_MS, () => `the actors ${[...acting].join(', ')}`, playing);
}

/** Days go by seldom: a minute of watching in which one did counts for nobody. */
function leaps({ panel, tally, ...stage }: Stage): Actor {
  const chance = stage.chanceOf('leaps');
  return {
    name: 'leaps',
    pauseMs: () => chance.between(90_000, 180_000),
    async act() {
      await panel.advance(chance.between(1, 5) * 24 * 60 * minuteMs);
      tally.note('leap');
    },
  };
}

/** Looks at one moment of the database; what it saw while that was away says nothing. */
function looks(stage: Stage, outages: Outages, violations: Set<string>): Actor {
  const chance = stage.chanceOf('looks');
  return {
    name: 'looks',
    pauseMs: () => chance.between(8000, 15_000),
    async act() {
      const wasOn = outages.isOn;
      const violation = await checkStore(stage, new Map());
      if (violation && !wasOn && !outages.isOn) violations.add(violation);
      stage.tally.note('look');
    },
  };
}
