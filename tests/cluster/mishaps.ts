import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../soak/actor.ts';
import type { Stage } from '../soak/stage.ts';
import type { Database } from './database.ts';
import type { Front } from './front.ts';
import { bots, type ClusterLayout, MAX_SKEW_MS, type Member, members, webs } from './layout.ts';
import type { Outages } from './outages.ts';
import { type RollingResult, rollWeb } from './rolling.ts';
import { migrateWith, type Versions } from './versions.ts';

export const mishapKinds = [
  'kill',
  'stop',
  'pause',
  'pauses crossed',
  'clocks',
  'failover',
  'pooler killed',
  'proxy killed',
  'rolling restart',
  'upgrade',
] as const;
export type Mishap = (typeof mishapKinds)[number];

/** Mishaps of a cluster, and how requests fared meanwhile. */
export interface ClusterRecord {
  mishaps: Record<Mishap, number>;
  rolling: RollingResult;
  upgrade: RollingResult;
  /** The reason why a migration was refused that changes what running processes rely on. */
  refusal: string | null;
  /** Milliseconds from the death of the primary until a row was written. */
  failoverMs: number[];
}

export interface MishapContext {
  front: Front;
  layout: ClusterLayout;
  database: Database;
  outages: Outages;
  versions: Versions;
  /** The longest pause of a process, in seconds. */
  maxPauseS: number;
}

const SHORTEST_PAUSE_S = 5;
/** Of two pauses that cross, the first is at least as long: others take over whatever the process had. It ends in the second. */
const [CROSSED_MS, OVERLAP_MS] = [45_000, 3000];
const noCalls = (): RollingResult => ({ requests: 0, failed: [] });
export const newRecord = (): ClusterRecord => ({
  mishaps: Object.fromEntries(mishapKinds.map((kind) => [kind, 0])) as Record<Mishap, number>,
  rolling: noCalls(),
  upgrade: noCalls(),
  refusal: null,
  failoverMs: [],
});

type Acts<Kind extends Mishap> = Record<Kind, () => Promise<unknown>>;

async function bringUp({ processes }: Stage, { layout }: MishapContext, name: Member): Promise<void> {
  processes.start(name);
  await processes.untilHealthy(name, `${layout.urlOf(name)}/healthz`);
}

/** Mishaps of single processes. */
function ofProcesses(
  stage: Stage,
  context: MishapContext,
): Acts<'kill' | 'stop' | 'pause' | 'pauses crossed' | 'clocks'> {
  const chance = stage.chanceOf('processes');
  const { processes, over } = stage;
  const anyOf = (names: readonly Member[]) => chance.pick(names) ?? 'web-1';
  const pauseMs = () => 1000 * chance.between(SHORTEST_PAUSE_S, context.maxPauseS);
  const pause = async (name: Member, forMs: number) => {
    process.kill(-processes.pidOf(name), 'SIGSTOP');
    await delay(forMs, undefined, { signal: over.signal }).catch(() => {});
    process.kill(-processes.pidOf(name), 'SIGCONT');
  };
  return {
    async kill() {
      const name = anyOf(members);
      await processes.kill(name);
      await bringUp(stage, context, name);
    },
    async stop() {
      const name = anyOf(bots);
      await processes.stop(name);
      await bringUp(stage, context, name);
    },
    pause: () => pause(anyOf(members), pauseMs()),
    async 'pauses crossed'() {
      const first = anyOf(bots);
      const second = anyOf(bots.filter((name) => name !== first));
      const firstMs = Math.max(pauseMs(), CROSSED_MS);
      const meanwhile = delay(firstMs - OVERLAP_MS, undefined, { signal: over.signal }).catch(() => {});
      await Promise.all([
        pause(first, firstMs),
        meanwhile.then(() => pause(second, SHORTEST_PAUSE_S * 1000)),
      ]);
    },
    async clocks() {
      for (const name of members)
        context.layout.hostClock.skew(name, chance.between(-MAX_SKEW_MS, MAX_SKEW_MS));
    },
  };
}

/** Mishaps of the database, and of what leads to it. */
const ofServices = (
  { front, database, outages }: MishapContext,
  record: ClusterRecord,
): Acts<'failover' | 'pooler killed' | 'proxy killed'> => ({
  failover: () =>
    outages.during(async () => {
      const killedMs = Date.now();
      await database.failOver();
      await database.untilWritable();
      record.failoverMs.push(Date.now() - killedMs);
      await database.addStandby();
    }),
  'pooler killed': () => outages.during(database.restartPooler),
  'proxy killed': () => outages.during(() => front.restart()),
});

/** Intended interruptions, of which people notice nothing. */
function ofOperators(
  stage: Stage,
  context: MishapContext,
  record: ClusterRecord,
): Acts<'rolling restart' | 'upgrade'> {
  const { front, layout, outages, versions } = context;
  const { processes } = stage;
  /** An operator begins once all is well. */
  const untilCalm = async () => {
    while (outages.isOn) await delay(250);
    for (const name of webs) await stage.processes.untilHealthy(name, `${layout.urlOf(name)}/healthz?deep`);
    for (const name of webs) await front.undrain(name);
  };
  const roll = async (all: RollingResult, installation?: string) => {
    await untilCalm();
    const { requests, failed } = await rollWeb(stage, { front, layout, installation });
    all.requests += requests;
    all.failed.push(...failed);
  };
  return {
    'rolling restart': () => roll(record.rolling),
    /** First the database, which the processes of the version before go on with, then one process after another. */
    async upgrade() {
      await untilCalm();
      const refused = await migrateWith(versions.after, layout.settings);
      if (refused) record.upgrade.failed.push(`the migration that only adds was refused: ${refused}`);
      const [old = 'bot-1'] = bots;
      await processes.kill(old);
      await bringUp(stage, context, old);
      await roll(record.upgrade, versions.after);
      for (const name of bots) {
        await processes.stop(name);
        processes.upgrade(name, versions.after);
        await bringUp(stage, context, name);
      }
      const said = await migrateWith(versions.beyond, layout.settings);
      record.refusal = said ?? 'nothing was said';
      const isExplained = ['older processes', 'web 7.1.0', 'bot 7.1.0'].every((words) =>
        said?.includes(words),
      );
      if (!isExplained)
        record.upgrade.failed.push(`the migration that changes something was not refused: ${said}`);
    },
  };
}

/** Everything that befalls a cluster, one after another, each kind once before any comes again. */
export function mishaps(stage: Stage, context: MishapContext, record: ClusterRecord): Actor {
  const chance = stage.chanceOf('mishaps');
  const { outages } = context;
  const operators = ofOperators(stage, context, record);
  const acts: Acts<Mishap> = {
    ...ofProcesses(stage, context),
    ...ofServices(context, record),
    ...operators,
  };
  const deck: Mishap[] = [];
  return {
    name: 'mishaps',
    pauseMs: () => chance.between(500, 3000),
    async act() {
      if (deck.length === 0) {
        const isUpgraded = record.mishaps.upgrade > 0;
        const left: Mishap[] = mishapKinds.filter((kind) => kind !== 'upgrade' || !isUpgraded);
        while (left.length > 0) deck.push(...left.splice(chance.between(0, left.length - 1), 1));
      }
      // An operator waits until an outage is over; meanwhile something else may happen.
      const now = deck.findIndex((kind) => !outages.isOn || !(kind in operators));
      const [kind = 'kill'] = deck.splice(Math.max(0, now), 1);
      await acts[kind]();
      record.mishaps[kind] += 1;
      stage.tally.note(`mishap: ${kind}`);
    },
  };
}
