import { eq } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import type { InventoryItem, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { cancelOffers } from '#bot/steam/transfers/cancel-offers.ts';
import { checkClaims } from '#bot/steam/transfers/check-claims.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addPerson, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const { signal } = new AbortController();

/** A queued claim. */
async function claim(): Promise<string> {
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const claimed = await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  if (!claimed.ok) throw new Error(claimed.code);
  const [queued] = await listBotTransfers(db.read, { botId, states: ['queued'] });
  return queued?.id ?? '';
}

const SETTLES_AT_MS = START_MS + 7 * day;
/** A claim that its viewer accepted, under protection for a week. */
async function acceptedClaim(): Promise<string> {
  const transferId = await claim();
  await sendQueued(db, START_MS);
  const moved = (await assetsIn(db, transferId)).map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: `${assetId}1`,
    newContextId: '16',
  }));
  const change = { event: 'accepted', tradeId: 't1', moved, settlesAtMs: SETTLES_AT_MS } as const;
  await reportTransfer(db, transferId, change, START_MS);
  return transferId;
}

/** An account that answers with this trade. */
function answeringTrades(report: TradeReport) {
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async () => ({ ok: true, value: report }),
  });
  const settle = settleTrades(work);
  const round = async (nowMs: number) => {
    time.nowMs = nowMs;
    passTime(work.pace.settleMs);
    await settle(signal);
  };
  return { round };
}

test('A complete trade is settled when its protection ends, and not a millisecond earlier', async () => {
  const transferId = await acceptedClaim();
  const { round } = answeringTrades({ standing: 'complete', moved: [] });
  await round(SETTLES_AT_MS - 1);
  expect((await transferOf(db, transferId)).state).toBe('accepted');
  await round(SETTLES_AT_MS);
  expect((await transferOf(db, transferId)).state).toBe('settled');
});

test('A later settlement time from Steam is respected', async () => {
  const transferId = await acceptedClaim();
  const { round } = answeringTrades({
    standing: 'complete',
    moved: [],
    settlesAtMs: SETTLES_AT_MS + day,
  });
  await round(SETTLES_AT_MS + day - 1);
  expect((await transferOf(db, transferId)).state).toBe('accepted');
  await round(SETTLES_AT_MS + day);
  expect((await transferOf(db, transferId)).state).toBe('settled');
});

test.each(['pending', 'escrowed'] as const)(
  'A trade that Steam calls %s is not settled, however long ago its protection was to end',
  async (standing) => {
    const transferId = await acceptedClaim();
    const { round } = answeringTrades({ standing, moved: [] });
    await round(SETTLES_AT_MS + 30 * day);
    expect((await transferOf(db, transferId)).state).toBe('accepted');
  },
);

test('A reversal waits until the bot has the asset again', async () => {
  const transferId = await acceptedClaim();
  const [given] = await assetsIn(db, transferId);
  const back = { appId: 730, assetId: given?.newAssetId ?? '', newAssetId: '77', newContextId: '2' };
  const shown: { assetId: string; contextId: string; classId: string }[] = [];
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async () => ({ ok: true, value: { standing: 'reversed', moved: [] } }),
    getReversal: async () => ({ ok: true, value: [back] }),
    inventory: async (_steamId, _appId, contextId) => ({
      ok: true,
      value: shown.filter((asset) => asset.contextId === contextId) as InventoryItem[],
    }),
  });
  const settle = settleTrades(work);
  const round = async () => {
    time.nowMs += minute;
    passTime(work.pace.settleMs);
    await settle(signal);
  };
  await round();
  shown.push({ assetId: '76', contextId: '2', classId: 'another' });
  await round();
  expect((await transferOf(db, transferId)).state).toBe('accepted');
  shown.push({ assetId: '77', contextId: '2', classId: given?.classId ?? '' });
  await round();
  expect((await transferOf(db, transferId)).state).toBe('reversed');
  const items = await itemsOf(db, streamer.userId);
  expect(items).toMatchObject([{ state: 'held', assetId: '77' }]);
});

test('A trade is read now and then, when it becomes final, and then twice a minute until Steam says so', async () => {
  await acceptedClaim();
  const accepted = await listBotTransfers(db.read, { botId, states: ['accepted'] });
  for (const { id, kind } of accepted)
    if (kind === 'deposit') await reportTransfer(db, id, { event: 'settled' }, START_MS);
  const getTrade = vi.fn<SteamAccount['getTrade']>(async () => failure('steamUnavailable', 'later'));
  const { work, time } = makeTransferWork(db, botId, { getTrade });
  const settle = settleTrades({ ...work, pace: { ...work.pace, settleMs: 10 * minute } });
  expect(await settle(signal)).toBe(10 * minute);
  time.nowMs = SETTLES_AT_MS - 5 * minute;
  expect(await settle(signal)).toBe(5 * minute);
  expect(getTrade).toHaveBeenCalledTimes(1);
  time.nowMs = SETTLES_AT_MS;
  expect(await settle(signal)).toBe(30_000);
  passTime(29_999);
  expect(await settle(signal)).toBe(1);
  expect(getTrade).toHaveBeenCalledTimes(1);
  passTime(1);
  await settle(signal);
  expect(getTrade).toHaveBeenCalledTimes(2);
});

test('A trade that cannot be read does not hold up the next one', async () => {
  const [, second] = [await acceptedClaim(), await acceptedClaim()];
  const complete = { ok: true, value: { standing: 'complete', moved: [] } as TradeReport } as const;
  const getTrade = vi.fn<SteamAccount['getTrade']>(async () => complete);
  const { work, time } = makeTransferWork(db, botId, { getTrade });
  getTrade.mockResolvedValueOnce(failure('steamUnavailable', 'later'));
  time.nowMs = SETTLES_AT_MS;
  await settleTrades(work)(signal);
  expect((await transferOf(db, second)).state).toBe('settled');
});

test('A trade that cannot be booked does not hold up the next one either', async () => {
  const ids = [await acceptedClaim(), await acceptedClaim()];
  for (const id of ids)
    await db.transaction(async (tx) => {
      await tx
        .update(transfers)
        .set({ tradeId: `trade of ${id}` })
        .where(eq(transfers.id, id));
    });
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async (tradeId) => ({
      ok: true,
      value: { standing: tradeId.endsWith(ids[0]!) ? 'reversed' : 'complete', moved: [] },
    }),
    getReversal: async () => {
      throw new Error('no answer has this form');
    },
  });
  time.nowMs = SETTLES_AT_MS;
  await settleTrades(work)(signal);
  const states = await Promise.all(ids.map(async (id) => (await transferOf(db, id)).state));
  expect(states).toEqual(['accepted', 'settled']);
});

test('A trade is not settled early by a difference of the clocks that is out of date', async () => {
  const transferId = await acceptedClaim();
  const complete = { ok: true, value: { standing: 'complete', moved: [] } as TradeReport } as const;
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async () => complete,
    clockAheadMs: 180 * minute,
  });
  const settle = settleTrades({ ...work, pace: { ...work.pace, settleMs: minute } });
  time.nowMs = SETTLES_AT_MS - 120 * minute;
  await settle(signal);
  expect((await transferOf(db, transferId)).state).toBe('accepted');
  time.nowMs = SETTLES_AT_MS;
  passTime(minute);
  await settle(signal);
  expect((await transferOf(db, transferId)).state).toBe('settled');
});

/** A claim whose sending got no answer and that Steam does not list; its asset is still in the bot's inventory. */
async function absentOffer(facts: { cleanPolls?: number } = {}) {
  const transferId = await claim();
  await sendQueued(db, START_MS);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'uncertain', offerId: null, ...facts });
  });
  const held = (await assetsIn(db, transferId)).map(({ assetId }) => ({ assetId }));
  const { work } = makeTransferWork(db, botId, {
    offersSince: async () => ({ ok: true, value: { offers: [], unreadable: 0 } }),
    visitSentOffers: async () => ({ ok: true, value: [] }),
    tradesSince: async () => ({ ok: true, value: { trades: new Map(), parties: new Map(), pages: 1 } }),
    inventory: (async () => ({ ok: true, value: held })) as unknown as SteamAccount['inventory'],
  });
  const round = resolveUncertain(work);
  return { work, transferId, round };
}

test('Two polls without the offer prove it absent only with the pause between them', async () => {
  const { work, transferId, round } = await absentOffer();
  await round();
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 1 });
  passTime(work.pace.absenceMs - 1);
  await round();
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 1 });
  passTime(1);
  await round();
  expect((await transferOf(db, transferId)).state).toBe('queued');
});

test('A process that polls after another one keeps the pause as well', async () => {
  const { work, transferId, round } = await absentOffer({ cleanPolls: 1 });
  await round();
  expect((await transferOf(db, transferId)).state).toBe('uncertain');
  passTime(work.pace.absenceMs);
  await round();
  expect((await transferOf(db, transferId)).state).toBe('queued');
});

test('An offer is not proven absent while its asset is gone; a deposit’s assets are not with us', async () => {
  const { work, transferId, round } = await absentOffer();
  work.account()!.inventory = async () => ({ ok: true, value: [] });
  for (const _poll of [1, 2, 3]) {
    await round();
    passTime(minute);
  }
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ kind: 'deposit', rewardId: null });
  });
  await round();
  passTime(minute);
  await round();
  expect((await transferOf(db, transferId)).state).toBe('queued');
});

test('Uncertain offers are looked for from a day and a half hour before the oldest was requested', async () => {
  await claim();
  await claim();
  const [older, newer] = await listBotTransfers(db.read, { botId, states: ['queued'] });
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'uncertain' }).where(is(transfers.state, 'queued'));
    await tx
      .update(transfers)
      .set({ createdAtMs: START_MS + day })
      .where(eq(transfers.id, newer!.id));
  });
  const offersSince = vi.fn<SteamAccount['offersSince']>(async () => failure('steamUnavailable', 'later'));
  const { work, time } = makeTransferWork(db, botId, { offersSince });
  time.nowMs = START_MS + day;
  await resolveUncertain(work)();
  expect(offersSince.mock.calls).toEqual([[older!.createdAtMs - day - 30 * minute]]);
  expect(await transferOf(db, older!.id)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
});

test('A queued claim is not withdrawn when its cancel time has passed', async () => {
  const transferId = await claim();
  const cancelAtMs = (await transferOf(db, transferId)).cancelAtMs ?? 0;
  expect(cancelAtMs).toBeGreaterThan(START_MS);
  const { work, time } = makeTransferWork(db, botId, {});
  time.nowMs = cancelAtMs + day;
  expect(await cancelOffers(work, signal)).toBeNull();
  expect((await transferOf(db, transferId)).state).toBe('queued');
});

test('A verdict on a claim is valid for a minute; then Twitch is asked again', async () => {
  const transferId = await claim();
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ followDays: 30 });
  });
  const readStanding = vi.fn(async () => ({ follow: { followedAtMs: START_MS - 40 * day } }));
  const { work } = makeTransferWork(db, botId, {});
  const claims = checkClaims({ ...work, readStanding });
  await claims.round(signal);
  passTime(minute - 1);
  await claims.round(signal);
  expect(claims.checked()).toEqual([transferId]);
  expect(readStanding).toHaveBeenCalledTimes(1);
  passTime(1);
  expect(claims.checked()).toEqual([]);
  await claims.round(signal);
  expect(readStanding).toHaveBeenCalledTimes(2);
  expect(claims.checked()).toEqual([transferId]);
});

test('Twitch is asked about ten claims at a time', async () => {
  const viewers = await Promise.all(Array.from({ length: 12 }, () => addPerson(db)));
  const { rewards: promised } = await promiseTo(db, streamer, viewers);
  for (const { id: rewardId, userId } of promised)
    await claimReward(db, { rewardId, userId: userId! }, START_MS);
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ followDays: 30 });
  });
  const asked = { now: 0, atMost: 0 };
  const { work } = makeTransferWork(db, botId, {});
  const nudge = vi.spyOn(work, 'nudge');
  const claims = checkClaims({
    ...work,
    nudge,
    async readStanding() {
      asked.now += 1;
      asked.atMost = Math.max(asked.atMost, asked.now);
      await Promise.resolve();
      asked.now -= 1;
      return { follow: { followedAtMs: START_MS - 40 * day } };
    },
  } as typeof work);
  expect(await claims.round(signal)).toBe(minute);
  expect(asked.atMost).toBe(10);
  expect(claims.checked()).toHaveLength(12);
  expect(nudge).toHaveBeenCalledTimes(2);
});
