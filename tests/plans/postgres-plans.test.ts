import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { agedPostgres } from '#tests/benchmarks/seed-history.ts';
import { growingNames, indexesOfThePresent, judge, type Meant, type Read } from '#tests/plans/reads.ts';
import { keptStatements } from '#tests/support/statements.ts';

/** PostgreSQL takes part where TEST_POSTGRES_URL names a server whose user may create databases; CI always does. */
const serverUrl = process.env.TEST_POSTGRES_URL ?? '';

/** Reads of a whole table that are meant, each with its reason. */
const meant: Meant = {};

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}

function* stepsOf(plan: Plan): Generator<Plan> {
  yield plan;
  for (const part of plan.Plans ?? []) yield* stepsOf(part);
}

/** Whether a step reads all rows of its table, or all entries of an index that holds its past too. */
function readsWhole(step: Plan, ofThePresent: ReadonlySet<string>): boolean {
  if (step['Node Type'] === 'Seq Scan') return true;
  const ordered = /^Index (?:Only )?Scan$/.test(step['Node Type']) && !step['Index Cond'];
  return ordered && !ofThePresent.has(step['Index Name'] ?? '');
}

/** Few enough rows that reading them all is the best plan there is. */
const FEW_PAGES = 10;

test.skipIf(!serverUrl)('No statement reads a growing table whole', async () => {
  const store = await agedPostgres(serverUrl, 100_000);
  onTestFinished(store.remove);
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  const { rows } = await client.query('select relname, relpages from pg_class where relpages > $1', [
    FEW_PAGES,
  ]);
  const large = new Set(rows.map(({ relname }) => relname as string));
  const indexes = await client.query('select indexname as name, indexdef as sql from pg_indexes');
  const ofThePresent = indexesOfThePresent(indexes.rows);
  const reads: Read[] = [];
  for (const { module, sql, params } of keptStatements('postgres')) {
    if (growingNames(sql).size === 0) continue;
    const { rows: told } = await client.query(`explain (format json) ${sql}`, params);
    for (const step of stepsOf(told[0]['QUERY PLAN'][0].Plan)) {
      const table = step['Relation Name'] ?? '';
      if (!large.has(table) || !readsWhole(step, ofThePresent)) continue;
      const by = step['Index Name'] ? ` by ${step['Index Name']}` : '';
      reads.push({ module, table, step: `${step['Node Type']} on ${table}${by}`, sql });
    }
  }
  await client.end();
  expect(judge(reads, meant)).toEqual({ unmeant: [], idle: [] });
});
