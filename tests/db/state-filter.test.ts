import { readdirSync, readFileSync } from 'node:fs';
import { eq, inArray, ne } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { alias, is, within } from '#db/dialect.ts';
import { liveRewardStates, type RewardState, rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { openTestDatabase } from '#tests/support/database.ts';

test('A state filter is a literal, like a partial index’s predicate', async () => {
  await using db = await openTestDatabase();
  const { read } = db;
  const written = read
    .select({ id: rewards.id })
    .from(rewards)
    .where(within(rewards.state, liveRewardStates))
    .toSQL();
  expect(written.sql).toContain(`"rewards"."state" in ('free', 'promised', 'reserved')`);
  expect(written.params).toEqual([]);
  expect(await read.$count(rewards, is(rewards.state, 'free'))).toBe(0);
  expect(await read.$count(rewards, within(rewards.state, []))).toBe(0);
});

test('A bound state, or one that the column does not have, does not compile', () => {
  const asked: RewardState = 'free';
  // @ts-expect-error
  eq(rewards.state, asked);
  // @ts-expect-error
  ne(rewards.state, 'free');
  // @ts-expect-error
  inArray(rewards.state, [...liveRewardStates]);
  // @ts-expect-error
  eq(alias(rewards, 'others').state, 'free');
  // @ts-expect-error
  eq(transfers.kind, 'claim');
  // @ts-expect-error
  is(rewards.state, 'queued');
  // @ts-expect-error
  within(rewards.state, ['free', 'held']);
});

test('Only valid names become part of a statement', () => {
  expect(() => is(rewards.state, "free' or 1=1 --" as RewardState)).toThrow('not a name');
  expect(() => within(rewards.state, ['free', "'" as RewardState])).toThrow('not a name');
});

/** A template of SQL that compares a state or kind with a value: the types do not see into it. */
const boundState = /\.(?:state|kind)\}\s*(?:=|<>|!=|in)\s*\(?\s*\$\{(?!sql\.raw|sql\.placeholder)/;

test('No template of SQL binds a state either', () => {
  expect(['{rewards.state} = $', '{state}'].join('')).toMatch(boundState);
  const sources = readdirSync('domain', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(sources.filter((name) => boundState.test(readFileSync(`domain/${name}`, 'utf8')))).toEqual([]);
  // Columns that are taken out of their table lose the type that keeps them from being compared.
  const unguarded = sources.filter((name) =>
    /getTableColumns\(\w+\)\.(?:state|kind)/.test(readFileSync(`domain/${name}`, 'utf8')),
  );
  expect(unguarded).toEqual([]);
});
