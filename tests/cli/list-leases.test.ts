import { expect, test } from 'vitest';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
import { runLeases } from '../../cli/list-leases.ts';

test('The list tells each part’s process, and the parts that nobody does', async () => {
  await using db = await openTestDatabase();
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  await runLeases({ db, print });
  await takeLeases(db, holderNamed('one'), ['steam', 'mails']);
  await endLeases(db, ['mails']);
  await runLeases({ db, print });
  expect(printed).toEqual([
    'No bot has run with this database.',
    'mails: nobody; the last epoch was 1',
    expect.stringMatching(
      /^steam: one at http:\/\/one:3001, 1\.2\.3, epoch 1 since \d{4}-.*Z; free in 1[0-3] s unless it is renewed$/,
    ),
  ]);
});
