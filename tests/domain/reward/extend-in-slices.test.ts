import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bots, outages } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { events } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { insertManyInto } from '#db/write.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import {
  addPerson,
  addRule,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const PROMISES = 1100;
/** The first slice; a transaction's duration decides the next one's size, and here none takes any time. */
const FIRST = 1000;
const SYSTEM_MS = Date.UTC(2030, 0, 1);
const OUTAGE_MS = 5 * hour;
const UNTIL_MS = START_MS + 72 * hour;
const END = { systemMs: SYSTEM_MS + OUTAGE_MS, nowMs: START_MS + OUTAGE_MS };

beforeEach(async () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ heartbeatAtMs: SYSTEM_MS });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const insertItems = insertManyInto(items, 'items');
const insertRewards = insertManyInto(rewards, 'rewards');

/** As many viewers have a promise of a rule, as rows. */
async function promiseToMany(): Promise<void> {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const crowd = await addCrowd(db, streamer.twitchId, PROMISES);
  await deposit(db, streamer, [asset()]);
  const [item] = await db.read.select().from(items);
  await db.transaction(async (tx) => {
    const idOf = (twitchId: string) => `item-${twitchId}`;
    await insertItems(
      tx,
      crowd.map((twitchId) => ({ ...item!, id: idOf(twitchId), assetId: `of-${twitchId}` })),
    );
    const { userId: ownerId, twitchId: channelId } = streamer;
    const promise = {
      ruleId,
      ownerId,
      channelId,
      state: 'promised',
      position: '',
      createdAtMs: START_MS,
    } as const;
    const window = { promisedAtMs: START_MS, claimUntilMs: UNTIL_MS };
    await insertRewards(
      tx,
      crowd.map((twitchId) => ({
        ...promise,
        ...window,
        id: `reward-${twitchId}`,
        itemId: idOf(twitchId),
        twitchId,
        userId: `user-${twitchId}`,
      })),
    );
  });
}

/** Counts the windows by the time they were shifted. */
async function shifts(): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { claimShiftedMs, claimUntilMs } of await db.read.select().from(rewards)) {
    expect(claimUntilMs).toBe(UNTIL_MS + claimShiftedMs);
    counts[claimShiftedMs] = (counts[claimShiftedMs] ?? 0) + 1;
  }
  return counts;
}

/** The database of a process that ends after this many transactions. */
const endingAfter = (transactions: number) =>
  withOthers(db, async (nth) => {
    if (nth === transactions) throw new Error('killed');
  });

test('Windows are extended in several transactions, the outage is closed, and it is announced to each viewer once', async () => {
  await promiseToMany();
  expect(await recordHeartbeat(db, botId, END)).toBe(OUTAGE_MS);
  expect(await shifts()).toEqual({ 0: PROMISES });
  const seen: Record<number, number>[] = [];
  const store = withOthers(db, async () => void seen.push(await shifts()));
  await extendClaimWindows(store, END.nowMs);
  expect(seen).toEqual([{ 0: PROMISES - FIRST, [OUTAGE_MS]: FIRST }, { [OUTAGE_MS]: PROMISES }]);
  const announced = (await db.read.select().from(events)).filter(({ kind }) => kind === 'reward.changed');
  expect(announced.map(({ userId }) => userId).sort()).toEqual(
    (await db.read.select().from(rewards)).map(({ userId }) => userId).sort(),
  );
  const [outage] = await db.read.select().from(outages);
  expect(outage).toMatchObject({ lastedMs: OUTAGE_MS, endedAtMs: END.nowMs });
  expect(outage?.id).not.toContain('open');
  await extendClaimWindows(store, END.nowMs);
  expect(store.transactions).toBe(2);
});

test('A process that ends between two of them neither loses nor doubles the extension', async () => {
  await promiseToMany();
  await recordHeartbeat(db, botId, END);
  await expect(extendClaimWindows(endingAfter(1), END.nowMs)).rejects.toThrow('killed');
  expect(await shifts()).toEqual({ 0: PROMISES - FIRST, [OUTAGE_MS]: FIRST });
  // It came back after another outage.
  const again = { systemMs: END.systemMs + 2 * hour, nowMs: END.nowMs + 2 * hour };
  expect(await recordHeartbeat(db, botId, again)).toBe(2 * hour);
  await extendClaimWindows(db, again.nowMs);
  expect(await shifts()).toEqual({ [OUTAGE_MS + 2 * hour]: PROMISES });
  expect((await db.read.select().from(outages)).map(({ lastedMs }) => lastedMs).sort()).toEqual(
    [OUTAGE_MS, 2 * hour].sort(),
  );
});

test('Two processes that extend at once extend each window once', async () => {
  await promiseToMany();
  await recordHeartbeat(db, botId, END);
  await Promise.all([extendClaimWindows(db, END.nowMs), extendClaimWindows(db, END.nowMs)]);
  expect(await shifts()).toEqual({ [OUTAGE_MS]: PROMISES });
});

/** A viewer's promise whose window ended in an outage that is over, before it is extended. */
async function ranOut(viewer: Person, atMs = UNTIL_MS + minute) {
  const systemMs = SYSTEM_MS + atMs - START_MS;
  await recordHeartbeat(db, botId, { systemMs, nowMs: atMs });
  const [reward] = (await db.read.select().from(rewards)).filter(({ userId }) => userId === viewer.userId);
  return { rewardId: reward?.id ?? '', nowMs: atMs, systemMs };
}
const stateOf = async (rewardId: string) =>
  (await db.read.select().from(rewards)).find(({ id }) => id === rewardId)?.state;

test('A window that is still to be extended does not time out', async () => {
  const viewer = await addPerson(db);
  await promiseTo(db, streamer, [viewer]);
  const { rewardId, nowMs, systemMs } = await ranOut(viewer);
  expect(await getOutageMs(db.read, systemMs)).toBe(systemMs - SYSTEM_MS);
  const claim = { rewardId, userId: viewer.userId };
  expect(await claimReward(db, claim, nowMs, systemMs)).toMatchObject({ ok: true });
  const [sent] = await sendQueued(db, nowMs);
  await reportTransfer(db, sent?.id ?? '', { event: 'declined' }, nowMs);
  expect(await stateOf(rewardId)).toBe('promised');
});

test('What follows an outage comes before promises expire', async () => {
  const viewer = await addPerson(db);
  await promiseTo(db, streamer, [viewer]);
  const { rewardId, nowMs, systemMs } = await ranOut(viewer);
  expect(await expirePromises(db, nowMs, systemMs)).toBe(0);
  expect(await stateOf(rewardId)).toBe('promised');
  expect(await getOutageMs(db.read, systemMs)).toBe(0);
  expect(await expirePromises(db, nowMs + 73 * hour, systemMs)).toBe(1);
});
