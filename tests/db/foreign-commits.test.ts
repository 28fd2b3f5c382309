import { expect, test } from 'vitest';
import { countForeignCommits } from '#db/engine/foreign-commits.ts';

test('A transaction that ended between two snapshots is a change, unless it is ignored', () => {
  const foreignCommits = countForeignCommits();
  const first = foreignCommits.count('10:10:');
  expect(foreignCommits.count('10:10:')).toBe(first);
  foreignCommits.ignore('10');
  expect(foreignCommits.count('11:11:'), 'ignored').toBe(first);
  const second = foreignCommits.count('12:12:');
  expect(second).not.toBe(first);
  expect(foreignCommits.count('12:13:12'), 'still in progress').toBe(second);
});

test('A running transaction is a change when it ends, and not before', () => {
  const foreignCommits = countForeignCommits();
  const first = foreignCommits.count('10:11:10');
  expect(foreignCommits.count('10:11:10')).toBe(first);
  foreignCommits.ignore('11');
  expect(foreignCommits.count('10:12:10')).toBe(first);
  expect(foreignCommits.count('12:12:')).not.toBe(first);
});

test('An ignored running transaction is no change when it ends', () => {
  const foreignCommits = countForeignCommits();
  const first = foreignCommits.count('10:11:10');
  foreignCommits.ignore('10');
  expect(foreignCommits.count('11:11:')).toBe(first);
});

test('An older snapshot that arrives late hides nothing', () => {
  const foreignCommits = countForeignCommits();
  foreignCommits.count('10:10:');
  const newest = foreignCommits.count('12:12:');
  foreignCommits.count('11:11:');
  expect(Number(foreignCommits.count('12:12:'))).toBeGreaterThanOrEqual(Number(newest));
  expect(foreignCommits.count('13:13:')).not.toBe(newest);
});

test('A number that went back, as after the promotion of a standby, is a change', () => {
  const foreignCommits = countForeignCommits();
  const first = foreignCommits.count('20:20:');
  const second = foreignCommits.count('15:15:');
  expect(second).not.toBe(first);
  expect(foreignCommits.count('15:15:')).toBe(second);
});

test('A heartbeat of another process is no change, also past the 32 bits that its row has', () => {
  const foreignCommits = countForeignCommits();
  const past = 2n ** 32n;
  const first = foreignCommits.count(`${past}:${past + 1n}:${past}`);
  expect(foreignCommits.count(`${past + 2n}:${past + 2n}:`, '0,1')).toBe(first);
  expect(foreignCommits.count(`${past + 4n}:${past + 4n}:`, '0,2')).not.toBe(first);
});
