import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { makeSqliteFile } from '#tests/support/database.ts';

/** PostgreSQL takes part where TEST_POSTGRES_URL names a server whose user may create databases; CI always does. */
const serverUrl = process.env.TEST_POSTGRES_URL;
export const stores = serverUrl ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const);

export interface Findings {
  promises: number;
  viewersPromised: number;
  waiting: number;
  draws: number;
  /** The number of the last draw; 0 when nothing was drawn. */
  lastDraw: number;
  /** Redemptions that a reward was promised for, and those that are to be given back. */
  paidFor: number;
  toGiveBack: number;
}

export interface RaceStore {
  file: string;
  env: Record<string, string>;
  nowMs: number;
  viewers: string[];
  /** The custom reward of a rule that asks for points. */
  twitchRewardId: string;
  findings(): Promise<Findings>;
  claimTwice(twitchId: string): Promise<{ outcomes: boolean[]; offers: number }>;
  dropUniqueIndexes(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A store in which all viewers have just crossed the threshold of one rule, and nobody has been evaluated. */
export async function makeRaceStore(
  kind: (typeof stores)[number],
  facts: { viewers: number; rewards: number; type?: 'one' | 'random'; pointsCost?: number },
): Promise<RaceStore> {
  const place = kind === 'SQLite' ? await sqlitePlace() : await postgresPlace();
  const world = run<Pick<RaceStore, 'nowMs' | 'viewers' | 'twitchRewardId'>>(place, 'make-world', {
    type: 'one',
    pointsCost: null,
    ...facts,
  });
  return {
    ...place,
    ...world,
    findings: async () => run(place, 'findings', {}),
    claimTwice: async (twitchId) => run(place, 'claim-twice', { twitchId }),
    dropUniqueIndexes: async () => run(place, 'drop-unique-indexes', {}),
    [Symbol.asyncDispose]: place.remove,
  };
}

interface Place {
  file: string;
  env: Record<string, string>;
  remove(): Promise<void>;
}

/** The dialect belongs to a process, so what touches the store runs in one of its own. */
function run<T>(place: Place, verb: string, facts: object): T {
  const script = new URL('./race-world.ts', import.meta.url).pathname;
  const child = spawnSync(
    process.execPath,
    ['--import', 'tsx', script, place.file, verb, JSON.stringify(facts)],
    { encoding: 'utf8', env: { ...process.env, ...place.env } },
  );
  if (child.status !== 0) throw new Error(`${verb} failed: ${child.stderr}`);
  return JSON.parse(child.stdout) as T;
}

async function sqlitePlace(): Promise<Place> {
  const { file, folder } = await makeSqliteFile();
  return { file, env: {}, remove: async () => rmSync(folder, { recursive: true, force: true }) };
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
  return {
    file: '',
    env: { DATABASE_URL: url.href },
    remove: () => asAdmin(`drop database ${name} with (force)`),
  };
}
