import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Deed, Guard, Order, StorePlace, Verb } from '#tests/races/race-worker.ts';
import type { enterRaffle, RaceAmounts, raffleFindings } from '#tests/races/race-world.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';
import { bundleOf } from '#tests/support/processes.ts';

type Kind = 'SQLite' | 'PostgreSQL';
/** PostgreSQL is included if there is a server. */
export const stores: readonly Kind[] = serverUrl ? ['SQLite', 'PostgreSQL'] : ['SQLite'];
export const PROCESSES = 4;

export interface Findings {
  promises: number;
  viewersPromised: number;
  waiting: number;
  draws: number;
  /** The number of the last draw; 0 without one. */
  lastDraw: number;
  /** Redemptions with a promised reward, and those to be refunded. */
  paidFor: number;
  toGiveBack: number;
}

interface World {
  nowMs: number;
  viewers: string[];
  /** The custom reward of a points rule. */
  twitchRewardId: string;
}

type RacedVerb = 'evaluate' | 'redeem' | 'claimAll' | 'depositStacks' | 'takeRafflesOn' | 'makePushKeys';

export interface RaceStore extends World {
  databaseUrl: string | undefined;
  findings(): Promise<Findings>;
  claimTwice(twitchId: string): Promise<{ outcomes: boolean[]; offers: number }>;
  promiseMany(promises: number): Promise<{ userId: string; rewardIds: string[] }>;
  addStackOwners(people: number): Promise<{ userIds: string[] }>;
  enterRaffle(facts: { entrants: number; winners: number }): ReturnType<typeof enterRaffle>;
  announceList(facts: { raffleId: string; nowMs: number }): Promise<object>;
  raffleFindings(raffleId: string): ReturnType<typeof raffleFindings>;
  dropUniqueIndexes(): Promise<void>;
  /** Runs a verb in all processes at the same time, each with its own facts. */
  race<T>(verb: RacedVerb, guard: Guard, factsOf: (process: number) => object): Promise<T[]>;
  /** Runs one process's recording of a fact from Twitch. */
  write(process: number, guard: Guard, deed: Deed): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A database with a world of these amounts. */
export async function makeRaceStore(
  kind: Kind,
  facts: { viewers: number; rewards: number; type?: RaceAmounts['type']; pointsCost?: number },
): Promise<RaceStore> {
  const { place, remove } = kind === 'SQLite' ? await sqlitePlace() : await postgresPlace();
  const ask = async <T>(process: number, verb: Verb, order: { guard?: Guard; facts?: object } = {}) =>
    (await workerOf(kind, process)).ask<T>({ verb, place, guard: 'guarded', facts: {}, ...order });
  const all = Array.from({ length: PROCESSES }, (_, process) => process);
  await Promise.all(all.map((process) => workerOf(kind, process)));
  const used = new Set([0]);

  if (kind === 'PostgreSQL') await ask(0, 'migrate');
  const world = await ask<World>(0, 'makeWorld', { facts: { type: 'one', pointsCost: null, ...facts } });
  return {
    ...world,
    databaseUrl: place.databaseUrl,
    findings: () => ask(0, 'findings'),
    claimTwice: (twitchId) => ask(0, 'claimTwice', { facts: { twitchId } }),
    promiseMany: (promises) => ask(0, 'promiseMany', { facts: { promises } }),
    addStackOwners: (people) => ask(0, 'addStackOwners', { facts: { people } }),
    enterRaffle: (given) => ask(0, 'enterRaffle', { facts: given }),
    announceList: (given) => ask(0, 'announceList', { facts: given }),
    raffleFindings: (raffleId) => ask(0, 'raffleFindings', { facts: { raffleId } }),
    dropUniqueIndexes: () => ask(0, 'dropUniqueIndexes'),
    async race<T>(verb: RacedVerb, guard: Guard, factsOf: (process: number) => object) {
      for (const process of all) used.add(process);
      await Promise.all(all.map((process) => ask(process, 'open', { guard })));
      return Promise.all(all.map((process) => ask<T>(process, verb, { guard, facts: factsOf(process) })));
    },
    async write(process, guard, facts) {
      used.add(process);
      await ask(process, 'write', { guard, facts });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...used].map((process) => ask(process, 'close')));
      await remove();
    },
  };
}

interface RaceWorker {
  child: ChildProcess;
  ask<T>(order: Order): Promise<T>;
}

const workers = new Map<string, Promise<RaceWorker>>();

/** Starting a process takes longer than most races, so the races of a test file share them. */
function workerOf(kind: Kind, process: number): Promise<RaceWorker> {
  const name = `${kind} ${process}`;
  const worker = workers.get(name) ?? startWorker(kind);
  workers.set(name, worker);
  return worker;
}

async function startWorker(kind: Kind): Promise<RaceWorker> {
  const child = spawn(process.execPath, [bundleOf('race-worker')], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: kind === 'PostgreSQL' ? serverUrl : undefined },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('a process of the race has ended');
    return value;
  };
  await nextLine();
  return {
    child,
    async ask<T>(order: Order): Promise<T> {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      const answer = JSON.parse(await nextLine());
      if (answer.failed) throw new Error(`${order.verb} failed: ${answer.failed}`);
      return answer as T;
    },
  };
}

/** Call this at the end of each test file with races. */
export async function endWorkers(): Promise<void> {
  for (const worker of workers.values()) {
    const { child } = await worker;
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  }
  workers.clear();
}

interface Place {
  place: StorePlace;
  remove(): Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const { file, folder } = await makeSqliteFile();
  return { place: { file }, remove: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function postgresPlace(): Promise<Place> {
  const { default: pg } = await import('pg');
  const name = `keepsake_race_${randomBytes(6).toString('hex')}`;
  const asAdmin = async (statement: string) => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await asAdmin(`create database ${name}`);
  const url = new URL(serverUrl ?? '');
  url.pathname = `/${name}`;
  // Races test visibility, not durability.
  url.searchParams.set('options', '-c synchronous_commit=off');
  return {
    place: { file: '', databaseUrl: url.href },
    remove: () => asAdmin(`drop database ${name} with (force)`),
  };
}
