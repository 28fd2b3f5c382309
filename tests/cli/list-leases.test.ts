import { expect, test } from 'vitest';
import { leases } from '#db/schema/lease.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { slotNames, takeSlots } from '#domain/bot/take-slots.ts';
import { minute } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { announceBotNamed, endLeases, holderNamed } from '#tests/support/leases.ts';
import { runLeases } from '../../cli/list-leases.ts';

test('The list tells each part’s process, and the parts that nobody does', async () => {
  await using db = await openTestDatabase();
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  await runLeases({ db, print });
  for (const name of ['one', 'two']) await announceBotNamed(db, name);
  await takeLeases(db, holderNamed('one'), ['steam', 'mails']);
  await endLeases(db, ['mails']);
  await takeLeases(db, holderNamed('two'), ['twitch:1', 'twitch:2']);
  await runLeases({ db, print });
  expect(printed).toEqual([
    'No bot has run with this database.',
    expect.stringMatching(
      /^steam: one at http:\/\/one:3001, 1\.2\.3, epoch 1 since \d{4}-.*Z; free in 1[0-3] s unless it is renewed, then for http:\/\/two:3001$/,
    ),
    expect.stringMatching(
      /^chats \(slots 1–2\): two at .*; free in 1[0-3] s unless they are renewed, then for http:\/\/one:3001$/,
    ),
    'mails: nobody; the last epoch was 1',
  ]);
});

test('The slots of channels are listed by process, in one line each', async () => {
  await using db = await openTestDatabase();
  const printed: string[] = [];
  await takeSlots(db, holderNamed('one'));
  await endLeases(db, slotNames.slice(0, 3));
  await runLeases({ db, print: (line) => void printed.push(line) });
  expect(printed.sort()).toEqual([
    'chats (slots 1–3): nobody; the last epoch was 1',
    expect.stringMatching(/^chats \(slots 4–32\): one at http:\/\/one:3001, 1\.2\.3, epoch 1 since /),
  ]);
});

test('A lease that came with the update is listed without what the version before did not store', async () => {
  await using db = await openTestDatabase();
  const printed: string[] = [];
  await db.transaction((tx) =>
    tx
      .insert(leases)
      .values({ name: 'mails', holder: 'the version before', epoch: 1, untilMs: Date.now() + minute })
      .returning(),
  );
  await runLeases({ db, print: (line) => void printed.push(line) });
  expect(printed).toEqual([
    expect.stringMatching(/^mails: the version before, epoch 1; free in \d+ s unless it is renewed$/),
  ]);
});
