import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordSelfTest } from '#domain/bot/record-self-test.ts';
import { recordOddAnswers } from '#domain/odd-answer/record-odd-answers.ts';
import { readShapes } from '#sandbox/shapes/replay.ts';
import type { Dialect } from '#sandbox/steam/dialects.ts';
import { beginContact, goAllTheWay } from '#tests/support/first-contact.ts';
import { askForDeposit, startBot, transferIn } from '#tests/support/steam-stage.ts';

test('One item goes all the way, and each step says what to do, where, and until when', async () => {
  const contact = await beginContact();
  const said: unknown[] = [];
  const end = await goAllTheWay(contact, (step, { now, todo, where, until }) => {
    expect(now).toBe(step);
    const begins = todo?.split(' ').slice(0, 3).join(' ');
    said.push([step, begins, where?.replace(/\d{6,}/, 'ID'), until !== undefined]);
  });
  expect(said).toEqual([
    ['bot', 'Start Keepsake with', 'docs/steam-bot-account.md', false],
    ['deposit', 'Sign in as', 'https://example.org/items/deposit', false],
    ['deposit', 'As the streamer,', 'https://steamcommunity.com/tradeoffer/ID/', true],
    ['lock', 'Nothing. Leave Keepsake', 'https://example.org/items/custody', true],
    ['rule', 'As the streamer,', 'https://example.org/rules/new', false],
    ['watching', 'Go live, and', expect.stringContaining('https://www.twitch.tv/'), false],
    ['claim', 'As the viewer,', 'https://example.org/rewardProgress', true],
    ['delivery', 'As the viewer,', 'https://steamcommunity.com/tradeoffer/ID/', true],
    ['protection', 'Nothing. Leave Keepsake', 'the trade history of the bot on Steam', true],
  ]);
  expect(end.text).toContain('The item has gone all the way.');
  expect(end.text).toContain('So far everything was as the sandbox believes.');
});

const dialects: [differs: string, shape: Partial<Dialect>, expected: RegExp][] = [
  [
    'the length of protection',
    { settlement: 'absent' },
    /lock: the trade could be reversed for 192 hours, not for 168/,
  ],
  ['a sending', { firstSendings: 'unknownNumber' }, /delivery: the transfer had the event “answerLost”/],
];
test.each(dialects)('A Steam that differs in %s is named in the end', async (_, shape, expected) => {
  expect((await goAllTheWay(await beginContact(shape))).text).toMatch(expected);
});

test('The report has what differed, without ids and names, and the sandbox replays it', async () => {
  const { stage, folder, run, clocks, db, clock, streamer } = await beginContact();
  const odd = {
    platform: 'steam',
    place: 'IEconService/GetTradeStatus/v1',
    path: 'response.trades[].status',
    difference: 'value',
    found: '13',
    reaction: 'pending',
    example: null,
    count: 4,
  } as const;
  await recordOddAnswers(db, [{ ...odd, found: '14' }], clock.now() - 1);
  expect((await run()).text).toContain('So far everything');
  await startBot(stage);
  await run();
  const { transferId } = await askForDeposit(stage);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  await recordOddAnswers(db, [odd], clock.now());
  const test = {
    endpoint: 'list',
    appId: 730,
    offers: 'open',
    difference: 'absent',
    offerId: offerId ?? '',
  } as const;
  await recordSelfTest(db, { botId: 'bot-1', tests: [test] }, clock.now());
  clocks.push({ what: 'The clock of this machine is 40 s behind Steam’s.' });
  stage.world.accept(offerId ?? '', streamer.steamId);
  await transferIn(stage, transferId, 'accepted');
  const file = join(folder, 'report.json');
  const said = await run('--report', file);
  expect(said.text).toContain('deposit: The clock of this machine is 40 s behind Steam’s.');
  const written = readFileSync(file, 'utf8');
  expect(JSON.parse(written)).toMatchObject({
    format: 'keepsake-first-contact',
    steps: [
      { name: 'bot', seenAfterHours: 0 },
      { name: 'deposit', seenAfterHours: 0 },
      { name: 'lock', seenAfterHours: null },
      ...Array(5).fill({ seenAfterHours: null }),
    ],
    transfers: { deposit: ['requested', 'started', 'sent', 'accepted'], claim: [] },
    differences: [
      { step: 'deposit', what: clocks[0]?.what },
      { step: 'deposit', what: expect.stringContaining('does not show an open offer of game 730') },
    ],
    shapes: [{ found: '13' }],
  });
  const { name } = (stage.world.userBySteamId(streamer.steamId) ?? { name: '' }) as { name: string };
  for (const secret of [
    offerId,
    transferId,
    streamer.steamId,
    streamer.twitchId,
    streamer.userId,
    name,
    'bot-1',
  ])
    expect(written).not.toContain(secret);
  expect(readShapes(file)).toMatchObject([{ found: '13' }]);
  expect((await run('--report', file)).isOk).toBe(false);
});

test('A deposit that ended leads to another one, and notes that cannot be read to a new beginning', async () => {
  const { stage, folder, run, world, streamer } = await beginContact();
  await startBot(stage);
  await run();
  const first = await askForDeposit(stage);
  const { offerId } = await transferIn(stage, first.transferId, 'sent');
  world.decline(offerId ?? '', streamer.steamId);
  await transferIn(stage, first.transferId, 'declined');
  expect(await run()).toMatchObject({
    now: 'deposit',
    waitsFor: 'a deposit of one item. The last one ended: declined',
  });
  const second = await askForDeposit(stage);
  await transferIn(stage, second.transferId, 'sent');
  expect(await run()).toMatchObject({ now: 'deposit', waitsFor: 'an answer to the offer' });
  writeFileSync(join(folder, 'first-contact.json'), '{');
  expect(await run()).toMatchObject({ isOk: false, text: expect.stringContaining('--restart') });
  expect(await run('--restart')).toMatchObject({ isOk: true, waitsFor: 'a deposit of one item' });
  expect(await run('--unknown')).toMatchObject({ isOk: false });
});
