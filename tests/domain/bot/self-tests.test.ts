import { expect, test } from 'vitest';
import { isEndpointDoubted, listSelfTests } from '#domain/bot/list-self-tests.ts';
import { recordSelfTest, type SelfTest } from '#domain/bot/record-self-test.ts';
import { hour } from '#domain/kernel/time.ts';
import { addBot, START_MS } from '#tests/support/fixtures.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';

setScene();

const tested = (facts: Partial<SelfTest> = {}): SelfTest => ({
  endpoint: 'list',
  appId: 730,
  offers: 'open',
  difference: null,
  offerId: '7',
  ...facts,
});

test('An endpoint is doubted for its bot and its game until offers of the same kind look alike again', async () => {
  const other = await addBot(db);
  const isDoubted = (facts: { botId?: string; endpoint?: SelfTest['endpoint']; appIds?: number[] } = {}) =>
    isEndpointDoubted(db.read, { botId, endpoint: 'list', appIds: [440, 730], ...facts });
  const record = (tests: SelfTest[], nowMs: number) => recordSelfTest(db, { botId, tests }, nowMs);
  const differing = tested({ difference: 'absent' });
  const agreeing = [tested({ offers: 'accepted' }), tested({ appId: 440 }), tested({ endpoint: 'history' })];
  expect(await record([differing, ...agreeing], START_MS)).toEqual([differing]);
  expect(await isDoubted()).toBe(true);
  expect(await isDoubted({ appIds: [440] })).toBe(false);
  expect(await isDoubted({ endpoint: 'history' })).toBe(false);
  expect(await isDoubted({ botId: other })).toBe(false);

  // Others say nothing of it, and it goes on.
  const still = tested({ difference: 'state', offerId: '8' });
  expect(await record([...agreeing, still], START_MS + hour)).toEqual([]);
  expect(await listSelfTests(db.read)).toMatchObject([
    { endpoint: 'history', difference: null, differsSinceMs: null },
    { appId: 440 },
    { offers: 'accepted', testedAtMs: START_MS + hour },
    { ...still, botId, differsSinceMs: START_MS, testedAtMs: START_MS + hour },
  ]);
  expect(await record([tested()], START_MS + 2 * hour)).toEqual([tested()]);
  expect(await isDoubted()).toBe(false);
});
