import { afterAll, expect, test, vi } from 'vitest';
import { endWorkers, makeRaceStore, stores } from '#tests/races/race-store.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endWorkers);

const AMOUNTS = { entrants: 60, winners: 7 };

/** Processes close the list of a raffle at the same time, and then draw it. */
async function race(kind: (typeof stores)[number], guard: 'guarded' | 'unguarded') {
  await using store = await makeRaceStore(kind, { viewers: 1, rewards: 0 });
  const { raffleId, expected, closesAtMs, drawsAtMs } = await store.enterRaffle(AMOUNTS);
  await store.race('takeRafflesOn', guard, () => ({ nowMs: closesAtMs }));
  await store.announceList({ raffleId, nowMs: closesAtMs });
  await store.race('takeRafflesOn', guard, () => ({ nowMs: drawsAtMs }));
  return { expected, found: await store.raffleFindings(raffleId) };
}

for (const kind of stores) {
  test(`Four processes on one ${kind} store close and draw a raffle once`, async () => {
    const { expected, found } = await race(kind, 'guarded');
    // One list on every kind of store: in the order of the batches and their lines, each viewer once.
    expect(found.entries).toEqual(expected);
    expect(found.numbers).toEqual(expected.map((_, index) => index + 1));
    expect(found.places).toEqual(found.expectedPlaces);
    expect(found).toMatchObject({ state: 'drawn', sealedLines: 1, drawnLines: 1 });
    expect(found).toMatchObject({ promised: AMOUNTS.winners, promises: AMOUNTS.winners });
  });

  test(`Without locks, ${kind} lets more than one process announce the same list or draw`, async () => {
    const linesOf = async () => {
      const { found } = await race(kind, 'unguarded');
      return found.sealedLines + found.drawnLines;
    };
    let lines = await linesOf();
    for (let again = 2; again <= 40 && lines <= 2; again++) lines = await linesOf();
    expect(lines).toBeGreaterThan(2);
  });
}
