import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { qualifications, rules } from '#db/schema/rule.ts';
import { minute } from '#domain/kernel/time.ts';
import { tieBreak } from '#domain/rule/qualify.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import { addRule, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { countDue, setWatched } from '#tests/support/watched.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** More than are evaluated in one transaction. */
const CROWD = 2100;
const REWARDS = 5;
const TICK_MS = START_MS + minute;
const asked = { watchMinutes: 10, watchScope: 'allTime', rewards: 0 } as const;

let ruleId: string;
let crowd: readonly string[];
beforeEach(async () => {
  ruleId = await addRule(db, streamer, { ...asked, rewards: REWARDS });
  crowd = await addCrowd(db, streamer.twitchId, CROWD);
  await setAll(590, 600);
  await goLive(db, streamer.twitchId);
  await readChatters(db, streamer.twitchId, crowd, START_MS);
});

const setAll = (seconds: number, nextCheckSeconds: number) =>
  db.transaction(async (tx) => {
    await setWatched(tx, { seconds, nextCheckSeconds });
  });
const listed = () => db.read.$count(qualifications);
const due = () => countDue(db.read, streamer.twitchId);
const tick = (store = db as Parameters<typeof readChatters>[0], nowMs = TICK_MS) =>
  readChatters(store, streamer.twitchId, crowd, nowMs);

async function isServedInOrder() {
  const [rule] = await db.read.select().from(rules);
  const order = crowd.toSorted((a, b) => (tieBreak(rule!.seed, a) < tieBreak(rule!.seed, b) ? -1 : 1));
  expect((await rewardsOf(db, ruleId)).map(({ twitchId }) => twitchId)).toEqual(order.slice(0, REWARDS));
}

test('Many viewers who pass a threshold at once are evaluated in several transactions, and served in order', async () => {
  const written: number[] = [];
  let before = 0;
  const store = withOthers(db, async () => {
    const now = await listed();
    written.push(now - before);
    before = now;
  });
  expect(await tick(store)).toEqual({ seconds: 60, qualified: CROWD });
  expect(written[0]).toBe(0);
  expect(Math.max(...written)).toBe(1000);
  expect(await listed()).toBe(CROWD);
  expect(await due()).toBe(0);
  await isServedInOrder();
});

test('If the process ends before they are evaluated, the next tick does it', async () => {
  const store = withOthers(db, async () => {
    throw new Error('killed');
  });
  await expect(tick(store)).rejects.toThrow('killed');
  expect([await listed(), await due()]).toEqual([0, CROWD]);
  expect(await tick(db, TICK_MS + minute)).toEqual({ seconds: 60, qualified: CROWD });
  expect(await due()).toBe(0);
  await isServedInOrder();
});

test('Who passes another threshold meanwhile is not missed', async () => {
  await addRule(db, streamer, { ...asked, watchMinutes: 30 });
  await setAll(590, 600);
  const store = withOthers(db, async (nth) => {
    if (nth === 4) await setAll(1800, 600);
  });
  await tick(store);
  expect(await listed()).toBe(2 * CROWD);
  expect(await due()).toBe(0);
});
