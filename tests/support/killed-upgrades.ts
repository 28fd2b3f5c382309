// An upgrade of a filled store, killed at many points of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { RawConnection } from '#db/engine/seal-stored.ts';
import { testVault } from '#tests/support/database.ts';
import { columnsOf, fillTables, rowsOf } from '#tests/support/filled-tables.ts';
import { bundleOf } from '#tests/support/processes.ts';

/** The first step of the upgrade; from its version on columns are sealed. */
export const FIRST_STEP = '0020_removed_trade_tokens';

/** One store that may be upgraded once. */
export interface OldStore {
  where: string;
  read<T>(use: (raw: RawConnection) => Promise<T>): Promise<T>;
  upgrade(): Promise<void>;
  /** Checks everything else about an upgraded store after a kill; nobody needs it afterwards. */
  check(): Promise<void>;
}

/**
 * Rows in every table, plain text that the upgrade seals, and a token that shows whose key is the right one.
 */
export async function fillOldStore(raw: RawConnection): Promise<void> {
  await fillTables(raw);
  const token = testVault.seal('secret', 'bot:bots.id whole');
  await raw.run(`update bots set refresh_token_sealed = '${token}' where id = 'bots.id whole'`, []);
}

const schemas = {
  sqlite: `select type, name, sql from sqlite_schema where name not like 'sqlite!_%' escape '!' order by 1, 2`,
  postgres: `select 'index' as type, indexname as name, indexdef as sql from pg_indexes where schemaname = 'public'
    union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace order by 1, 2`,
};
const steps = {
  sqlite: 'select hash from __drizzle_migrations order by created_at',
  postgres: 'select hash from drizzle.__drizzle_migrations order by created_at',
};

/** All that is in a store. Sealing the same text twice gives different texts. */
export async function contentsOf(raw: RawConnection): Promise<string> {
  const columns = await columnsOf(raw);
  const whole = [
    await raw.run(schemas[raw.dialect], []),
    await raw.run(steps[raw.dialect], []),
    columns,
    await rowsOf(raw, columns),
  ];
  return JSON.stringify(whole).replace(/sealed:v1\.[\w.+/=-]+/g, 'sealed');
}

/** Returns the end of the process, and the points that it reports to have passed. */
async function upgradeInProcess(dialect: string, where: string, point?: number) {
  const script = [bundleOf('killed-upgrade'), dialect, where];
  const child = spawn(process.execPath, [...script, ...(point === undefined ? [] : [String(point)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return {
    ended: (signal ?? code) as string | number,
    points: output ? (JSON.parse(output) as string[]) : [],
  };
}

/** As many kills at a time as leave the rest of the machine something. */
const LANES = 2;

/**
 * Kills an upgrade at each of the points that are chosen from all. Whatever it is killed at, the store is afterwards the
 * old one or, from some point on, the new one, and the next start leaves the new one.
 */
export async function killUpgrades(
  open: () => Promise<OldStore>,
  choose: (points: readonly string[]) => number[],
): Promise<{ points: readonly string[]; killed: number }> {
  const first = await open();
  const dialect = await first.read(async (raw) => raw.dialect);
  const old = await first.read(contentsOf);
  const { ended, points } = await upgradeInProcess(dialect, first.where);
  expect(ended).toBe(0);
  const upgraded = await first.read(contentsOf);
  expect(upgraded).not.toBe(old);
  const waiting = choose(points);
  const found: { point: number; is: string }[] = [];
  const kill = async (point: number): Promise<void> => {
    const name = `killed ${points[point]}`;
    const store = await open();
    expect((await upgradeInProcess(dialect, store.where, point)).ended, name).toBe('SIGKILL');
    const left = await store.read(contentsOf);
    expect([old, upgraded].includes(left), `${name}: between old and new`).toBe(true);
    found.push({ point, is: left === old ? 'old' : 'new' });
    await store.upgrade();
    expect((await store.read(contentsOf)) === upgraded, `${name}: the next start completes it`).toBe(true);
    await store.check();
  };
  const lane = async () => {
    for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) await kill(point);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const order = found.sort((a, b) => a.point - b.point).map(({ is }) => is);
  expect([order[0], order.at(-1)]).toEqual(['old', 'new']);
  expect(order).toEqual([...order].sort().reverse());
  return { points, killed: order.length };
}

const SAMPLES = 3;

/** The first and the last point, some evenly between, and those at which most could go wrong. */
export function sampleOf(points: readonly string[]): number[] {
  const critical = [
    / VACUUM INTO/i,
    / insert into \S*__drizzle/i,
    / update \w+ set \w+ = \S+ where/i,
    / commit$/i,
  ];
  const chosen = new Set(critical.flatMap((words) => bothSidesOf(points, words)));
  for (let sample = 0; sample < SAMPLES; sample += 1)
    chosen.add(Math.round((sample * (points.length - 1)) / (SAMPLES - 1)));
  return [...chosen].sort((a, b) => a - b);
}

function bothSidesOf(points: readonly string[], words: RegExp): number[] {
  const before = points.findIndex((point) => point.startsWith('before') && words.test(point));
  const after = points.findIndex((point) => point.startsWith('after') && words.test(point));
  return [before, after].filter((point) => point >= 0);
}
