import { afterAll, beforeAll, expect, test } from 'vitest';
import { minute, second } from '#domain/kernel/time.ts';
import { exportRaffle, type RaffleExport } from '#domain/raffle/export-raffle.ts';
import { recordEntries } from '#domain/raffle/record-entries.ts';
import { runRaffles } from '#domain/raffle/run-raffles.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { verifyPages } from '#tests/support/published-draws.ts';
import { addRaffle, drawRaffle } from '#tests/support/raffles.ts';

const ENTRIES = 24;
let db: TestDatabase;
let running: RaffleExport;
let drawn: RaffleExport;

beforeAll(async () => {
  db = await openTestDatabase();
  await addBot(db);
  const { twitchId: channelId, ...streamer } = await addStreamer(db);
  const raffleId = await addRaffle(db, { ...streamer, twitchId: channelId }, { winners: 2 });
  for (let number = 1; number <= ENTRIES; number++) {
    const enteredAtMs = START_MS + number * 10 * second;
    const entrants = [{ twitchId: String(70_000 + number), name: `demo_${number}`, enteredAtMs }];
    await recordEntries(db, { raffleId, channelId, entrants }, enteredAtMs);
  }
  await runRaffles(db, START_MS + 4 * minute + 30 * second);
  running = (await exportRaffle(db.read, raffleId)) as RaffleExport;
  await drawRaffle(db);
  drawn = (await exportRaffle(db.read, raffleId)) as RaffleExport;
});
afterAll(() => db.close());

const verify = (page: RaffleExport, ...hashes: string[]) => verifyPages([page], ...hashes);
function tampered(change: (page: RaffleExport) => void): RaffleExport {
  const page = structuredClone(drawn);
  change(page);
  return page;
}

test('A drawn raffle verifies, also with hashes kept while it ran', async () => {
  expect(running.checkpoints.length).toBeGreaterThan(3);
  expect(running.seed).toBeNull();
  const hashes = running.checkpoints.map(({ hash }) => hash);
  const answer = await verify(drawn, ...hashes, drawn.commitment);
  expect(answer.said).toContain(`VERIFIED: the places of ${ENTRIES} entries`);
  expect(answer.said).toContain('Places that have an item, or for which one is kept: 2 of 2.');
  expect(answer.said).toContain('marketHashName Demo case');
  expect(answer.status).toBe(0);
});

test('A list that no chat is known to have had verifies after three minutes, and says so', async () => {
  expect((await verify(drawn)).said).toContain(
    `Hash of the list announced in chat: ${drawn.raffle.announcedAt}.`,
  );
  const page = tampered(({ raffle }) => {
    raffle.announcedAt = null;
    raffle.drawnAt = later(raffle.sealedAt, 3 * minute);
  });
  const answer = await verify(page);
  expect(answer.said).toContain('It is not on record that a chat took the hash');
  expect(answer.status).toBe(0);
});

test('Claims that the streamer stopped are counted by their reason', async () => {
  const page = tampered(({ entries }) => {
    const first = entries.find(({ place }) => place === 1);
    if (first) first.stopped = 'ruleAbused';
  });
  const answer = await verify(page);
  expect(answer.said).toContain('Claims that the streamer stopped: 1, for bots or several accounts');
});

test('A running raffle does not verify yet, and nothing is amiss', async () => {
  const answer = await verify(running);
  expect(answer.said).toContain('NOT VERIFIED YET');
  expect(answer.status).toBe(1);
});

const later = (at: string | null, byMs: number) => new Date(Date.parse(at ?? '') + byMs).toISOString();
const swap = (page: RaffleExport, one: number, other: number) => {
  const [first, second_] = [page.entries[one]!, page.entries[other]!];
  [first.twitchId, second_.twitchId] = [second_.twitchId, first.twitchId];
};

test.each<[string, (page: RaffleExport) => void, string]>([
  ['altered', (page) => (page.entries[4]!.twitchId = '99999'), 'the hash of the list is not that'],
  ['reordered', (page) => swap(page, 2, 3), 'the hash published after entry'],
  [
    'added late',
    (page) =>
      page.entries.push({
        ...page.entries[0]!,
        number: ENTRIES + 1,
        twitchId: '99998',
        at: page.raffle.endedAt,
      }),
    'was not written in time',
  ],
  ['left out', (page) => page.entries.splice(6, 1), 'stands where 7 should'],
  ['entered twice', (page) => (page.entries[5]!.twitchId = page.entries[1]!.twitchId), 'entered twice'],
  ['drawn with another seed', (page) => (page.seed = 'ab'.repeat(32)), 'not the one that was promised'],
  [
    'given other places',
    (page) => {
      const [one, other] = [page.entries[0]!, page.entries[1]!];
      [one.place, other.place] = [other.place, one.place];
    },
    'drawn again it has',
  ],
  [
    'passed over in silence',
    (page) => (page.entries.find(({ place }) => place === 1)!.state = 'waiting'),
    'without a reason',
  ],
  [
    'passed over with a state that means nothing',
    (page) => (page.entries.find(({ place }) => place === 1)!.state = 'skipped' as never),
    'place 1 was passed over without a reason',
  ],
  [
    'passed over for a reason that means nothing',
    (page) => {
      const first = page.entries.find(({ place }) => place === 1)!;
      [first.state, first.passed] = ['passed', 'disliked' as never];
    },
    'place 1 was passed over without a reason',
  ],
  [
    'over with nobody served',
    (page) => {
      page.raffle.state = 'over';
      for (const entry of page.entries) [entry.state, entry.passed] = ['waiting', null];
    },
    'nobody has an item, and places still wait',
  ],
  [
    'ended after its time',
    (page) => (page.raffle.endedAt = new Date(START_MS + 6 * minute).toISOString()),
    'it ended after its planned end',
  ],
  [
    'given other terms',
    (page) =>
      (page.terms = page.terms.map(([name, value]) =>
        name === 'winnersOutDays' ? [name, 30] : [name, value],
      )),
    'the hash of the list is not that',
  ],
  [
    'announced too shortly before its draw',
    (page) => (page.raffle.announcedAt = later(page.raffle.drawnAt, -9.999 * second)),
    'not announced between its end and ten seconds before the draw',
  ],
  [
    'announced before it was closed',
    (page) => (page.raffle.announcedAt = later(page.raffle.sealedAt, -1)),
    'not announced between its end and ten seconds before the draw',
  ],
  [
    'announced at no time',
    (page) => (page.raffle.announcedAt = 'yesterday'),
    'not announced between its end and ten seconds before the draw',
  ],
  [
    'not announced, and drawn at once',
    (page) => (page.raffle.announcedAt = null),
    'it was drawn within three minutes',
  ],
  ['drawn with no seed shown', (page) => (page.seed = null), 'has to be published with its draw'],
  [
    'said to be cancelled, with its places',
    (page) => {
      page.raffle.state = 'cancelled';
      page.raffle.drawnAt = null;
    },
    'it has places without a draw',
  ],
])('A list that was %s is found', async (_, change, found) => {
  const answer = await verify(tampered(change));
  expect(answer.said).toContain(found);
  expect(answer.status).toBe(1);
});

test('A hash that the list never had is found', async () => {
  const answer = await verify(drawn, 'cd'.repeat(32));
  expect(answer.said).toContain('the list never had the hash');
});
