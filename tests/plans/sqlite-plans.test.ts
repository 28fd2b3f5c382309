import { afterAll, expect, test } from 'vitest';
import { hideValues } from '#db/engine/cache-statements.ts';
import { copyOfAged } from '#tests/benchmarks/seed-history.ts';
import {
  growingNames,
  indexesOfThePresent,
  judge,
  type Meant,
  type Read,
  unseenModules,
} from '#tests/plans/reads.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { savedStatements } from '#tests/support/statements.ts';

/** Intended reads of a whole table, each with its reason. */
const readWhole: Meant = {
  'domain/outbox/read-events.ts events': 'the newest id alone: the last entry of the key, and no more',
  'domain/chat/take-announcements.ts chat_announcements': 'those of two minutes; others are deleted before',
  'domain/custody/list-concerns.ts custody_drifts':
    'what an operator has not resolved yet; a sound store has none',
  'domain/operator/find-last-audit.ts custody_drifts': 'the same, counted',
  'domain/bot/list-self-tests.ts self_tests': 'some twenty rows for each bot',
  'domain/odd-answer/list-odd-answers.ts odd_answers': 'a hundred rows at most',
  'domain/odd-answer/record-odd-answers.ts odd_answers': 'a hundred rows at most',
  'domain/rule/create-rule.ts rules': 'only while a rule names one that is not there, which the key refuses',
  'domain/rule/succeed-rule.ts rules': 'the same',
  'domain/raffle/prepare-raffle.ts rules': 'the same',
  'domain/push/push-keys.ts push_keys': 'one row',
};

/** Intended reads of everything on one side of a value, each with its reason. */
const readToOneSide: Meant = {
  'domain/outbox/count-mail-trouble.ts mails': 'the mails of a week, counted on request of an operator',
  'domain/view/list-my-rewards.ts outages': 'those since the oldest promise shown, which runs for days',
  'domain/rule/qualify.ts twitch_accounts':
    'a test compares the sweep with it; the product names the viewers',
  'domain/rule/try-slice.ts twitch_accounts': 'the last slice of a walk over all accounts, on request',
};

/** Intended reads of the past of one thing, each with its reason. */
const readWithPast: Meant = {
  'domain/subscription/open-checkout.ts checkouts': 'one user’s checkouts: a few in years',
  'domain/freeze/freeze-account.ts rules':
    'one streamer’s rules, once in an emergency: closed ones may have given too',
};

/** Intended sorts before a limit, by the table that is read first, each with its reason. */
const sorted: Meant = {
  'domain/raffle/get-raffle.ts rewards': 'the items of one raffle, at most 25 and those offered again',
  'domain/raffle/list-raffles.ts rewards': 'the items of one raffle, at most 25 and those offered again',
  'domain/overlay/read-shown-raffle.ts raffles':
    'the items of one raffle, at most 25 and those offered again',
  'domain/identity/email/find-pending-email.ts email_tokens': 'links mailed to one user within a month',
  'domain/audience/admit-guest.ts twitch_accounts': 'whoever has, or had, one login',
  'domain/channel/find-public-channel.ts channels': 'whoever has, or had, one login',
  'domain/channel/list-channels.ts channels': 'those with an open rule',
  'domain/view/list-given-rewards.ts rewards': 'the rows of one page, in its order',
  'domain/view/list-history.ts rewards': 'the rows of one page, in its order',
  'domain/view/list-my-rewards.ts rewards':
    'one viewer’s rewards of several states, from the index alone, and the rows of one page',
  'domain/view/list-progress.ts twitch_accounts': 'open rules on the channels that one viewer watches',
  'domain/rule/list-corrections.ts rule_corrections':
    'the corrections of one rule, of which a page names a few',
  'domain/rule/list-public-rules.ts rules': 'open rules of one channel',
  'domain/rule/list-rule-viewers.ts rules': 'who has come nearer to one rule, by what counts for it',
  'domain/view/list-waiting.ts twitch_accounts': 'rules that one viewer waits for, or missed within a month',
  'domain/odd-answer/list-odd-answers.ts odd_answers': 'a hundred rows at most',
  'domain/rule/qualify.ts twitch_accounts':
    'of whom a channel has something, or all accounts if its rules ask for follows alone',
  'domain/subscription/stripe-customer.ts stripe_customers': 'whoever pays now',
  'domain/watch-time/list-gaps.ts twitch_accounts': 'gaps of one viewer within two weeks',
};

/** Modules whose queries no database test runs, each with its reason. */
const unseen: Meant = {
  'domain/condition/counts-from.ts': 'a column in the statements of others',
  'domain/item/unassigned.ts': 'a condition in the statements of others',
  'domain/rule/is-served.ts': 'a condition in the statements of others',
  'domain/rule/of-no-raffle.ts': 'a condition in the statements of others',
  'domain/transfer/latest-claim.ts': 'a part of the statements of others',
  'domain/transfer/not-frozen.ts': 'a condition in the statements of others',
};

const statements = savedStatements('sqlite');

test('This run’s tests executed every module that builds queries', () => {
  const reported = 'run it together with the tests that prepare statements: npm run test:unit';
  expect(unseenModules(statements), reported).toEqual(Object.keys(unseen));
});

/** The product keeps no table statistics, so plans do not depend on the number of rows. */
const connection = new BetterSqlite((await copyOfAged(10_000)).file);
afterAll(() => connection.close());

const ofThePresent = indexesOfThePresent(
  connection
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[],
);

interface Step {
  id: number;
  /** The query or subquery that it is a part of. */
  parent: number;
  detail: string;
}

interface Planned {
  sql: string;
  steps: readonly Step[];
  /** The growing table that a step reads, by the name it has in the statement. */
  tableOf(name: string | undefined): string | undefined;
}

/** Steps of SQLite's plans that a rule finds, with their tables. */
function readsFoundBy(find: (planned: Planned) => { table: string | undefined; step: string }[]): Read[] {
  return statements.flatMap(({ module, sql, params }) => {
    const names = growingNames(sql);
    const steps = connection.prepare(`explain query plan ${hideValues(sql)}`).all(...params) as Step[];
    const found = find({ sql, steps, tableOf: (name = '') => names.get(name) });
    return found.flatMap(({ table, step }) => (table ? [{ module, table, step, sql }] : []));
  });
}

test('No statement reads a growing table whole', () => {
  const reads = readsFoundBy(({ steps, tableOf }) =>
    steps.flatMap(({ detail }) => {
      const [, name, index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(detail) ?? [];
      // An automatic index contains every row, and a column's minimum without an index is searched in every row.
      const [, made] = /^SEARCH (\w+)(?: USING AUTOMATIC.*)?$/.exec(detail) ?? [];
      return ofThePresent.has(index) ? [] : [{ table: tableOf(name ?? made), step: detail }];
    }),
  );
  expect(judge(reads, readWhole)).toEqual({ unmeant: [], idle: [] });
});

test('No statement reads all of a growing table that is above or below a value', () => {
  const reads = readsFoundBy(({ sql, steps, tableOf }) => {
    // Pages end by themselves, and deleted rows are read once.
    if (/ limit |^delete /.test(sql)) return [];
    return steps.flatMap(({ detail }) => {
      const [, name, index = ''] =
        /^SEARCH (\w+) USING (?:COVERING )?(?:INDEX (\w+)|(?:INTEGER )?PRIMARY KEY) \(\w+[<>]\?\)/.exec(
          detail,
        ) ?? [];
      return ofThePresent.has(index) ? [] : [{ table: tableOf(name), step: detail }];
    });
  });
  expect(judge(reads, readToOneSide)).toEqual({ unmeant: [], idle: [] });
});

/** A partial index, with its first columns in order and its predicate as statements repeat it. */
interface PartialIndex {
  table: string;
  columns: readonly string[];
  predicate: string;
}

/** Without quotes and names of tables, in which an index and a statement differ. */
const bare = (sql: string): string => sql.replaceAll(/[`"]/g, '').replaceAll(/\b\w+\.(?=\w)/g, '');

const partialIndexes: readonly PartialIndex[] = (
  connection
    .prepare(
      "select tbl_name as tableName, name, sql from sqlite_master where type = 'index' and sql is not null",
    )
    .all() as { tableName: string; name: string; sql: string }[]
).flatMap(({ tableName: table, name, sql }) => {
  const [, list = '', predicate = ''] = /\((.*)\) WHERE (.*)$/s.exec(bare(sql)) ?? [];
  return ofThePresent.has(name) ? [{ table, columns: list.split(','), predicate }] : [];
});

test('No statement about the present of one thing reads its past as well', () => {
  const reads = readsFoundBy(({ sql, steps, tableOf }) =>
    steps.flatMap(({ detail }) => {
      const [, name, index = '', condition = ''] =
        /^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+) \((.*)\)(?: LEFT-JOIN)?$/.exec(detail) ?? [];
      const table = tableOf(name);
      const known = condition.split(' AND ').map((each) => each.replace(/[<>=]+\?$/, ''));
      const isBetter = ({ table: own, columns, predicate }: PartialIndex) =>
        own === table &&
        known.every((column) => columns.slice(0, known.length).includes(column)) &&
        bare(sql).includes(predicate);
      return ofThePresent.has(index) || !partialIndexes.some(isBetter) ? [] : [{ table, step: detail }];
    }),
  );
  expect(judge(reads, readWithPast)).toEqual({ unmeant: [], idle: [] });
});

test('No statement sorts what it reads of the past before it takes the first of it', () => {
  const reads = readsFoundBy(({ sql, steps, tableOf }) => {
    if (!/ limit /.test(sql)) return [];
    return steps.flatMap(({ parent, detail }, place) => {
      if (!/^USE TEMP B-TREE FOR (?:.* OF )?ORDER BY/.test(detail)) return [];
      const before = steps.slice(0, place).filter((step) => step.parent === parent);
      const [first] = before.flatMap((step) => {
        const [, name, index = ''] =
          /^(?:SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step.detail) ?? [];
        const table = tableOf(name);
        return table ? [{ table, index, step: step.detail }] : [];
      });
      return first && !ofThePresent.has(first.index) ? [first] : [];
    });
  });
  expect(judge(reads, sorted)).toEqual({ unmeant: [], idle: [] });
});

test('No plan depends on a value that is bound, so no statement is prepared again for it', () => {
  const seen =
    /\b(?:and|between|escape|from|glob|is|like|limit|match|not|offset|or|when|where) ?\(?\?|=\s?\(?\?|[<>] ?\(?\?(?!,)|\? (?:[=<>]|is|like)/;
  expect(statements.filter(({ sql }) => seen.test(hideValues(sql)))).toEqual([]);
});
