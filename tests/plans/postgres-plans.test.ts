import type { PGlite } from '@electric-sql/pglite';
import { afterAll, expect, test } from 'vitest';
import { listCandidates } from '#domain/rule/list-candidates.ts';
import { listOpenRules } from '#domain/rule/list-open-rules.ts';
import { listPublicRules } from '#domain/rule/list-public-rules.ts';
import { listRulePromises, listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { listRuleViewers } from '#domain/rule/list-rule-viewers.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import { listTransfers } from '#domain/transfer/list-transfers.ts';
import { listStandings } from '#domain/view/list-standings.ts';
import { oldOwner } from '#tests/benchmarks/history/old-owner.ts';
import type { Member } from '#tests/benchmarks/history/scribe.ts';
import { AGED_MS, presentOf } from '#tests/benchmarks/history/write-history.ts';
import { openPlanningPostgres } from '#tests/plans/postgres-store.ts';
import { growingNames, indexesOfThePresent, judge, type Meant, type Read } from '#tests/plans/reads.ts';
import { rowsReadIn } from '#tests/plans/rows-read.ts';
import { owned } from '#tests/support/looking.ts';
import { savedStatements } from '#tests/support/statements.ts';

/** Intended reads of a whole table, each with its reason. */
const meant: Meant = {
  'domain/outbox/read-events.ts events': 'the newest id alone: the last entry of the key, and no more',
  'domain/chat/take-announcements.ts chat_announcements': 'those of two minutes; others are deleted before',
  'domain/chat/take-announcements.ts channels': 'the channels of these; the plan takes them for many',
  'domain/custody/list-concerns.ts custody_drifts':
    'what an operator has not resolved yet; a sound store has none',
  'domain/operator/find-last-audit.ts custody_drifts': 'the same, counted',
  'domain/bot/list-self-tests.ts self_tests': 'some twenty rows for each bot',
  'domain/rule/try-slice.ts twitch_accounts': 'the last slice of a walk over all accounts, on request',
  'domain/odd-answer/list-odd-answers.ts odd_answers': 'a hundred rows at most',
  'domain/odd-answer/record-odd-answers.ts odd_answers': 'a hundred rows at most',
  'domain/push/push-keys.ts push_keys': 'one row',
};

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}

/** The steps of a plan, each with the table that it reads. */
function* stepsOf(plan: Plan, outer = ''): Generator<{ step: Plan; table: string }> {
  const table = plan['Relation Name'] ?? outer;
  yield { step: plan, table };
  for (const part of plan.Plans ?? []) yield* stepsOf(part, table);
}

interface Index {
  name: string;
  sql: string;
  /** Its first column or expression, the only way into an index. */
  leading: string;
}

async function indexesOf(store: PGlite): Promise<Index[]> {
  const { rows } = await store.query<Index>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as sql,
      pg_get_indexdef(indexrelid, 1, true) as leading
    from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace`);
  return rows;
}

/** An expression without what a plan writes differently from an index: brackets, space and the names of tables. */
const plain = (expression: string): string => expression.replaceAll(/\b\w+\.|[\s()]/g, '');

/** Returns whether a step reads all rows of its table, or all entries of an index that includes the past. */
function wholeReader(indexes: readonly Index[]): (step: Plan) => boolean {
  const ofThePresent = indexesOfThePresent(indexes);
  const leading = new Map(indexes.map((index) => [index.name, index.leading]));
  return (step) => {
    const { 'Node Type': type, 'Index Name': name = '', 'Index Cond': condition = '' } = step;
    if (type === 'Seq Scan') return true;
    if (!/^(?:Bitmap Index|Index|Index Only) Scan$/.test(type) || ofThePresent.has(name)) return false;
    // A condition on later columns alone is compared with every entry.
    return !plain(condition).includes(plain(leading.get(name) ?? ''));
  };
}

/** A statement's plan, whatever values are bound. */
async function planOf(store: PGlite, sql: string): Promise<Plan> {
  await store.exec(`deallocate all; prepare explained as ${sql}`);
  const places = new Set(sql.match(/\$\d+/g));
  const values = places.size > 0 ? `(${[...places].map(() => 'null').join(', ')})` : '';
  const { rows } = await store.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (format json) execute explained${values}`,
  );
  const [explained] = rows;
  if (!explained) throw new Error(`no plan of ${sql}`);
  return explained['QUERY PLAN'][0].Plan;
}

const store = await openPlanningPostgres(10_000);
afterAll(() => store.close());

test('No statement reads a growing table whole', async () => {
  const statements = savedStatements('postgres');
  const reported = 'run it together with the tests that prepare statements: npm run test:unit';
  expect(statements.length, reported).toBeGreaterThan(0);
  const readsWhole = wholeReader(await indexesOf(store));
  const reads: Read[] = [];
  for (const { module, sql } of statements) {
    const growing = new Set(growingNames(sql).values());
    if (growing.size === 0) continue;
    for (const { step, table } of stepsOf(await planOf(store, sql))) {
      if (!growing.has(table) || !readsWhole(step)) continue;
      const by = step['Index Name'] ? ` by ${step['Index Name']}` : '';
      reads.push({ module, table, step: `${step['Node Type']} on ${table}${by}`, sql });
    }
  }
  expect(judge(reads, meant)).toEqual({ unmeant: [], idle: [] });
});

/** More than is left of the rule that has been open for years, and far less than it has given: a thousand. */
const FEW = 300;

test('What an old streamer and their viewers open does not read what their rule has given', async () => {
  const rowsRead = rowsReadIn(store);
  const { userId, channelId, ruleId } = oldOwner(AGED_MS);
  const rowsOf = {
    transfers: await rowsRead((db) => listTransfers(db, { userId })),
    openTransfers: await rowsRead((db) => listTransfers(db, { userId, phase: 'open' })),
    rules: await rowsRead((db) => listRules(db, { ownerId: userId })),
    rewards: await rowsRead((db) => listRuleRewards(db, owned(ruleId))),
    promises: await rowsRead((db) => listRulePromises(db, owned(ruleId))),
    channel: await rowsRead((db) => listPublicRules(db, channelId)),
    chat: await rowsRead((db) => listOpenRules(db, channelId)),
    standing: await rowsRead((db) => listStandings(db, presentOf().viewer, [ruleId], AGED_MS)),
  };
  expect(Object.entries(rowsOf).filter(([, { all }]) => all === 0 || all > FEW)).toEqual([]);
});

/** A tenth of the thousand who watched the channel of the present have an account and subscribe to it. */
const SUBSCRIBED = 100;
/** Number of viewers who watched the channel of an ordinary streamer. */
const WATCHED = 40;

test('Whom to ask about follows is not searched among all accounts of the instance', async () => {
  const [{ twitchId: channelId }] = presentOf().ordinaryOwners as [Member];
  await store.query('update rules set follow_days = 30 where channel_id = $1', [channelId]);
  const asked = { channelId, missingOn: 'follow', kind: 'viewers', after: '', limit: 1_000 } as const;
  const rows = await rowsReadIn(store)((db) => listCandidates(db.read, asked, AGED_MS));
  expect(rows.of('watch_times')).toBeGreaterThan(0);
  expect(rows.of('twitch_accounts')).toBeLessThanOrEqual(WATCHED);
});

test('Viewers of a rule are looked for among those of whom the channel has what it asks for', async () => {
  const { paused: ruleId } = presentOf().rules;
  await store.query('update rules set watch_minutes = null where id = $1', [ruleId]);
  const rows = await rowsReadIn(store)((db) => listRuleViewers(db, owned(ruleId), {}, AGED_MS));
  expect(rows.of('subscribers')).toBeGreaterThan(0);
  expect(rows.of('watch_times')).toBeLessThanOrEqual(2 * SUBSCRIBED);
});
