import { afterAll, expect, test, vi } from 'vitest';
import { endWorkers, makeRaceStore, PROCESSES, stores } from '#tests/races/race-store.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endWorkers);

test.each(stores)(
  'Four processes that start at once on one %s store have the same keys for push services',
  async (kind) => {
    await using store = await makeRaceStore(kind, { viewers: 1, rewards: 1 });
    const made = await store.race<{ publicKey: string; privateKey: string }>(
      'makePushKeys',
      'guarded',
      (process) => ({
        publicKey: `made by ${process}`,
      }),
    );
    const [first] = made;
    expect(first?.publicKey).toMatch(/^made by \d$/);
    expect(made).toEqual(
      Array(PROCESSES).fill({ publicKey: first?.publicKey, privateKey: `private of ${first?.publicKey}` }),
    );
  },
);
