import type { Pool, PoolClient } from 'pg';
import { expect, test } from 'vitest';
import { pooledTransactions, witnessCommit } from '#db/pooled-transactions.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

/** A pool with one connection that fails at one statement; whoever looks for the event is answered in turn. */
function poolWith(at: string, error: Error, found: (Error | number)[] = [1]) {
  const released: (Error | undefined)[] = [];
  const asked: string[] = [];
  const client = {
    async query(text: string) {
      asked.push(text);
      if (text === at) throw error;
      return { command: text.toUpperCase(), rowCount: 0 };
    },
    release: (reason?: Error) => void released.push(reason),
  };
  const pool = {
    connect: async () => client,
    async query() {
      const answer = found.shift() ?? 0;
      if (answer instanceof Error) throw answer;
      return { rowCount: answer };
    },
  };
  const transaction = pooledTransactions(pool as unknown as Pool, () => ({}));
  return { transaction, client: client as unknown as PoolClient, asked, released };
}

const sqlStates = ['08006', '08P01', '57P01', '25006', '40003'];
const systemCodes = [
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
];

test.each([...sqlStates, ...systemCodes])('A commit that fails with %s is looked for', async (code) => {
  const { transaction, released } = poolWith('commit', failure(code));
  const done = await transaction(async (tx) => {
    witnessCommit(tx, 'event');
    return 'done';
  });
  expect(done).toBe('done');
  expect(released).toEqual([failure(code)]);
});

test('A commit that was refused is not looked for', async () => {
  const { transaction, released } = poolWith('commit', failure('23505'));
  const failed = transaction(async (tx) => witnessCommit(tx, 'event'));
  await expect(failed).rejects.toThrow('23505');
  expect(released).toEqual([undefined]);
});

test.each([
  failure('53300'),
  failure('EAI_AGAIN'),
  failure('ENOTFOUND'),
  failure('57P03'),
  failure('55000'),
  new Error('timeout exceeded when trying to connect'),
])('It is looked for again after: %s', async (met) => {
  const { transaction } = poolWith('commit', failure('57P01'), [met, 1]);
  await transaction(async (tx) => witnessCommit(tx, 'event'));
});

test('A connection to a server that takes no writes any more is closed, and another error is not', async () => {
  for (const [code, isClosed] of [
    ['25006', true],
    ['23505', false],
  ] as const) {
    const { transaction, client, asked, released } = poolWith('insert', failure(code));
    await expect(transaction(() => client.query('insert'))).rejects.toThrow(code);
    expect([released, asked.includes('rollback')]).toEqual([
      [isClosed ? failure(code) : undefined],
      !isClosed,
    ]);
  }
});
