import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { migrateSqlite, rawSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testVault } from '#tests/support/database.ts';
import { fillTables } from '#tests/support/filled-tables.ts';
import { landedSteps, stepsBefore } from '#tests/support/landed-steps.ts';

const STEP = '0069_closed_rules_ask_nothing';
const [after] = landedSteps('sqlite').slice(landedSteps('sqlite').indexOf(STEP) + 1);

const inStore = <T>(file: string, look: (store: BetterSqlite.Database) => T): T => {
  const store = new BetterSqlite(file);
  try {
    return look(store);
  } finally {
    store.close();
  }
};

const rulesIn = (file: string) =>
  inStore(file, (store) => store.prepare('select * from rules order by id').all()) as {
    id: string;
    watch_minutes: number | null;
  }[];
const indexesIn = (file: string) =>
  inStore(file, (store) =>
    store
      .prepare("select name, sql from sqlite_master where type = 'index' and tbl_name = 'rules' order by 1")
      .all(),
  );
/** The numbers of rows of all tables. */
const countsIn = (file: string) =>
  inStore(file, (store) => {
    const names = store
      .prepare("select name from sqlite_master where type = 'table' and name not like '!_!_%' escape '!'")
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      names.map((name) => [name, store.prepare(`select count(*) from "${name}"`).pluck().get()]),
    );
  });

test.skipIf(isPostgres)('The rebuilt table of rules has every row, reference and index', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-rebuilt-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [file, fresh] = [join(folder, 'old.db'), join(folder, 'new.db')];
  await migrateSqlite(file, null, stepsBefore('sqlite', STEP));
  const store = new BetterSqlite(file);
  store.pragma('foreign_keys = ON');
  await fillTables(rawSqlite(store));
  store.exec(`
    insert into rules (id, owner_id, channel_id, name, type, state, watch_minutes, claim_timeout_hours, seed, created_at_ms)
      select 'raffle', owner_id, channel_id, '!demo', 'one', 'closed', 0, 24, seed, 1 from rules where id = 'rules.id whole';
    insert into rules (id, owner_id, channel_id, name, type, state, watch_minutes, claim_timeout_hours, seed, created_at_ms)
      select 'live', owner_id, channel_id, 'Live', 'one', 'open', 0, 24, seed, 2 from rules where id = 'rules.id whole';
    insert into rules (id, owner_id, channel_id, name, type, state, watch_minutes, claim_timeout_hours, seed, succeeds_id, line_id, created_at_ms)
      select 'successor', owner_id, channel_id, 'Next', 'one', 'open', 90, 24, seed, 'live', 'live', 3 from rules where id = 'rules.id whole';
    update raffles set rule_id = 'raffle' where id = 'raffles.id whole';
    update rewards set rule_id = 'raffle' where id = 'rewards.id whole';
    update qualifications set rule_id = 'successor' where rule_id = 'rules.id whole';
  `);
  store.close();
  const [before, counts] = [rulesIn(file), countsIn(file)];
  expect(before.map(({ id }) => id)).toEqual([
    'live',
    'raffle',
    'rules.id least',
    'rules.id whole',
    'successor',
  ]);
  await migrateSqlite(file, testVault, after && stepsBefore('sqlite', after));
  const asking = (row: (typeof before)[number]) =>
    row.id === 'raffle' ? { ...row, watch_minutes: null } : row;
  const withoutSeeds = (rows: typeof before) => rows.map((row) => ({ ...row, seed: '' }));
  expect(withoutSeeds(rulesIn(file))).toEqual(withoutSeeds(before.map(asking)));
  expect(countsIn(file)).toMatchObject(counts);
  expect(inStore(file, (each) => each.pragma('foreign_key_check'))).toEqual([]);
  await migrateSqlite(fresh, null);
  expect(indexesIn(file)).toEqual(indexesIn(fresh));
  const refers = (path: string) =>
    inStore(path, (each) => each.pragma('foreign_key_list(rewards)')) as { table: string }[];
  expect(refers(file)).toEqual(refers(fresh));
});
