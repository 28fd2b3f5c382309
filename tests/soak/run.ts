// The whole product with users and faults, killed at random. Its last line is JSON; violations are listed above it, with
// exit code 1.
import { setMaxListeners } from 'node:events';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { count } from 'drizzle-orm';
import { transfers } from '#db/schema/transfer.ts';
import { isBuildStale } from '../../tools/build.ts';
import { type Actor, play } from './actor.ts';
import { checkMail } from './check-mail.ts';
import { checkSteam, receivedFrom } from './check-steam.ts';
import { checkPoints, checkWatchTime } from './check-twitch.ts';
import { heal } from './heal.ts';
import { killer } from './monkey.ts';
import { plantFault } from './plant.ts';
import { checkStore, snapshots } from './snapshots.ts';
import { openStage, type Stage } from './stage.ts';
import { offerAnswers, steamWhims } from './steam-deeds.ts';
import { deposits, openRules, streamerDeeds } from './streamer-deeds.ts';
import { troubles } from './troubles.ts';
import { readTruth } from './truth.ts';
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
/** For leases, polls and pauses after failures, which may take minutes. */
const PATIENCE_MS = 8 * 60_000;

if (isBuildStale(resolve(import.meta.dirname, '../..'))) {
  console.error('The processes run the build: npm run build');
  process.exit(2);
}
const violations = new Set<string>();
/** The result of whether the comparison notices an asset that was moved by hand at the very end. */
let planted: 'found' | 'not found' = 'not found';
const stage = await openStage({ seed, streamers: 3, viewers });
process.once('SIGINT', () => void stage.processes.stopAll().then(() => process.exit(130)));
process.once('SIGTERM', () => void stage.processes.stopAll().then(() => process.exit(143)));
const startedAtMs = Date.now();
let made: Record<string, number> = {};
try {
  await openRules(stage);
  await gather(stage);
  await act(stage, minutes * 60_000);
  for (const restless of await heal(stage, PATIENCE_MS)) violations.add(`never came to rest: ${restless}`);
  await stage.processes.stopAll();
  await compare(stage);
  made = await countTransfers(stage);
  await findPlanted(stage);
} finally {
  await stage.processes.stopAll();
  await stage.db.close();
}
for (const violation of violations) console.error(violation);
const isSound = violations.size === 0;
if (isSound && !values.keep) rmSync(stage.folder, { recursive: true, force: true });
else console.error(`seed ${seed}; all output is in ${stage.folder}`);
const seconds = Math.round((Date.now() - startedAtMs) / 1000);
console.log(
  JSON.stringify({
    name: 'soak',
    store: values.postgres ? 'PostgreSQL' : 'SQLite',
    seed,
    minutes,
    viewers,
    seconds,
    dialect: stage.dialect,
    deeds: stage.tally,
    transfers: made,
    plantedFault: planted,
    violations: violations.size,
  }),
);
process.exit(isSound ? 0 : 1);

/** Runs all actors for this long; the first bug in the soak itself ends it. */
async function act(all: Stage, forMs: number): Promise<void> {
  const actors: Actor[] = [
    streamerDeeds(all),
    deposits(all),
    claims(all),
    channelPoints(all),
    offerAnswers(all),
    steamWhims(all),
    twitchDeeds(all),
    passingTime(all),
    troubles(all),
    killer(all),
    snapshots(all, violations),
  ];
  const over = new AbortController();
  setMaxListeners(actors.length, over.signal);
  const playing = Promise.all(actors.map((actor) => play(actor, over.signal)));
  await Promise.race([playing, delay(forMs, undefined, { ref: false })]);
  over.abort();
  await playing;
}

/** A comparison without findings proves something only if it finds a planted fault. */
async function findPlanted(all: Stage): Promise<void> {
  const assetId = plantFault(all.sandboxFolder, all.tradeBots);
  const found = await checkSteam(all, readTruth(all.sandboxFolder).steam);
  if (assetId && found.some((violation) => violation.endsWith(`/${assetId}`))) planted = 'found';
  else violations.add(`the planted fault was not found: asset ${assetId}`);
}

/** Counts transfers by their end: a run that was starved proves little. */
async function countTransfers({ db }: Stage): Promise<Record<string, number>> {
  const { kind, state } = transfers;
  const rows = await db.read.select({ kind, state, of: count() }).from(transfers).groupBy(kind, state);
  return Object.fromEntries(rows.map((row) => [`${row.kind}: ${row.state}`, row.of]));
}

/** Compares our records with the platforms, once everything has finished. */
async function compare(all: Stage): Promise<void> {
  const { steam, twitch } = readTruth(all.sandboxFolder);
  const inStore = await checkStore(all, await receivedFrom(all, steam));
  const found = [
    ...(inStore ? [inStore] : []),
    ...(await checkSteam(all, steam)),
    ...(await checkPoints(all, twitch)),
    ...(await checkWatchTime(all)),
    ...(await checkMail(all)),
    ...all.processes.died,
    ...all.api.failures,
  ];
  for (const each of found) violations.add(each);
}
