import { expect, test } from 'vitest';
import { countActs, missingActs } from '#tests/soak/acts.ts';
import { inTime } from '#tests/soak/in-time.ts';

test('A run of the soak whose work never ends is over in time, and names what was under way', async () => {
  const hangs = new Promise<never>(() => {});
  await expect(inTime(20, () => 'stops the processes', hangs)).rejects.toThrow(
    'not over after 0 s: stops the processes',
  );
  await expect(inTime(60_000, () => '', Promise.resolve('done'))).resolves.toBe('done');
  await expect(inTime(60_000, () => '', Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});

test('A run of the soak counts each kind of act, and names those that took place too seldom', () => {
  const deposits = Array.from({ length: 21 }, (_, n) => ({
    id: String(n),
    kind: 'deposit',
    state: n === 0 ? 'failed' : n === 1 ? 'reversed' : 'settled',
  })) satisfies Parameters<typeof countActs>[1];
  const tally = {
    deposit: 24,
    'deposit: inventoryBusy': 3,
    claim: 9,
    'claim: claimLimit': 2,
    'kill: bot': 2,
    'kill: both': 1,
    'trouble: late': 4,
  };
  const acts = countActs(tally, [
    ...deposits,
    { id: 'c1', kind: 'claim', state: 'settled' },
    { id: 'c2', kind: 'claim', state: 'cancelled' },
    { id: 'r1', kind: 'return', state: 'declined' },
  ]);
  expect(acts).toMatchObject({
    'deposits requested': 24,
    'deposits accepted': 20,
    claims: 9,
    deliveries: 1,
    returned: 0,
    'cancelled by us': 1,
    'requests refused': 5,
    'faults of Twitch': 4,
    'kills of the bot': 3,
    'kills of the web': 1,
  });
  const missing = missingActs(acts);
  expect(missing).toContain('returned: 0 of at least 1');
  expect(missing.join()).not.toContain('deposits accepted');
  expect(missingActs({ ...acts, 'deposits accepted': 19 })).toContain('deposits accepted: 19 of at least 20');
});
