import type { Pool, PoolClient } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pooledTransactions, witnessCommit } from '#db/engine/pooled-transactions.ts';
import { sendWrite } from '#db/engine/sent-writes.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

/**
 * A pool with one connection that fails at one statement, and before it at the writes that were only sent;
 * searches for the event are answered in turn.
 */
function poolWith(
  at: string,
  error: Error,
  found: (Error | number)[] = [1],
  sentFail: readonly string[] = [],
) {
  const released: (Error | undefined)[] = [];
  const asked: string[] = [];
  const sent: ((error: Error) => void)[] = [];
  const client = {
    async query(text: string, _values?: unknown[], answer?: (error: Error) => void) {
      if (answer) return sent.push(answer);
      asked.push(text);
      if (text.startsWith(at)) {
        for (const [place, code] of sentFail.entries()) sent[place]?.(failure(code));
        throw error;
      }
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

test('A commit whose answer is lost is looked for as long when the clock is stepped forwards meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const stepping = setInterval(() => vi.setSystemTime(Date.now() + 3_600_000), 20);
  onTestFinished(() => {
    clearInterval(stepping);
    vi.useRealTimers();
  });
  const { transaction } = poolWith('commit', failure('ECONNRESET'), [0, 0, 1]);
  const done = await transaction(async (tx) => {
    witnessCommit(tx, 'event');
    return 'done';
  });
  expect(done).toBe('done');
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

/** Sends writes in a transaction; they and a statement after them fail. */
async function failingWrites(at: string, error: Error, codes: readonly string[]) {
  const { transaction, client, released } = poolWith(at, error, [], codes);
  const failed = transaction(async () => {
    for (const _ of codes) sendWrite(client as never, {}, []);
    if (at !== 'commit') await client.query(at);
  });
  const met = await failed.catch((reason: Error) => reason);
  return { met: met?.message, released };
}

test('A write that failed is told, and not looked for, when the answer to the commit is lost', async () => {
  const { met, released } = await failingWrites('commit', failure('08006'), ['23505']);
  expect(met).toBe('23505');
  expect(released).toHaveLength(1);
});

test('What follows a failure does not hide it', async () => {
  expect((await failingWrites('select', failure('22012'), ['25P02', '26000'])).met).toBe('22012');
  expect((await failingWrites('select', failure('25P02'), ['40P01', '26000'])).met).toBe('40P01');
});

test('A connection to such a server is closed, also if only a write that nobody waits for was refused', async () => {
  const { met, released } = await failingWrites('select', failure('25P02'), ['25006']);
  expect([met, released]).toEqual(['25006', [failure('25006')]]);
});

test('If a transaction cannot begin, what was sent with it is not done', async () => {
  const { transaction, asked } = poolWith('begin', failure('53300'));
  const work = vi.fn(async () => 'done');
  const first = () => Promise.reject(failure('25P02'));
  await expect(transaction(work, { first })).rejects.toThrow('53300');
  expect(work).not.toHaveBeenCalled();
  expect(asked.at(-1)).toBe('rollback');
});
