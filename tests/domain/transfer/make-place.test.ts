import { desc, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { transferKinds, transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { extendClaimWindow } from '#domain/reward/extend-claim-window.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { makePlace } from '#domain/transfer/make-place.ts';
import { MAX_OPEN_OFFERS, ownPlaces, PLACE_NEEDED } from '#domain/transfer/offer-limits.ts';
import { CountedOffers } from '#domain/transfer/open-offers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';
import { addPerson, asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf, rewardsOf, stepsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const MAX_CLAIMS = MAX_OPEN_OFFERS - ownPlaces.return - ownPlaces.deposit;

/** The latest transfer of a reward. */
async function transferOfReward(rewardId: string): Promise<string> {
  const [latest] = await db.read
    .select({ id: transfers.id })
    .from(transfers)
    .where(eq(transfers.rewardId, rewardId))
    .orderBy(desc(transfers.id));
  return latest?.id ?? '';
}

/** As many viewers as a bot may have claims for have an offer, one a minute, and one more has claimed since. */
async function fullBot() {
  const viewers = await Promise.all(Array.from({ length: MAX_CLAIMS + 1 }, () => addPerson(db)));
  const { ruleId, rewards } = await promiseTo(db, streamer, viewers);
  const offers: string[] = [];
  const claim = async (place: number, nowMs: number) => {
    const userId = viewers.find(({ twitchId }) => twitchId === rewards[place]?.twitchId)!.userId;
    const claimed = await claimReward(db, { rewardId: rewards[place]!.id, userId }, nowMs);
    if (!claimed.ok) throw new Error(claimed.code);
    return transferOfReward(rewards[place]!.id);
  };
  for (let place = 0; place < MAX_CLAIMS; place++) {
    offers.push(await claim(place, START_MS + place * minute));
    await sendQueued(db, START_MS + place * minute);
  }
  const waiting = await claim(MAX_CLAIMS, START_MS + 30 * minute);
  const lease = async (nowMs: number) =>
    (await leaseTransfers(db, { botId, holder: 'one' }, nowMs, Date.now())).map(({ id }) => id);
  return { ruleId, offers, waiting, lease };
}

/** As if others had waited for the place of this offer. */
const withdrawFor = (transferId: string, nowMs: number) =>
  transferTransaction(db, transferId, (tx) =>
    withdrawTransfer(tx, transferId, { reason: PLACE_NEEDED }, nowMs),
  );

const lastMail = async () => (await db.read.select().from(mails).orderBy(mails.id)).at(-1);

test('A claim that finds no place says so and gets that of the offer that nobody answered for an hour', async () => {
  const { ruleId, offers, waiting, lease } = await fullBot();
  const halfPast = START_MS + 30 * minute;
  expect(await lease(halfPast)).toEqual([]);
  for (let twice = 0; twice < 2; twice++)
    expect(await makePlace(db, { botId }, halfPast)).toEqual({ asked: 0, nextMs: 30 * minute });
  expect(await stepsOf(db, waiting)).toEqual(['requested', 'waits']);

  const later = START_MS + hour;
  expect(await makePlace(db, { botId }, later)).toEqual({ asked: 1, nextMs: null });
  expect(await makePlace(db, { botId }, later)).toEqual({ asked: 0, nextMs: null });
  const asked = await Promise.all(offers.map((id) => transferOf(db, id)));
  expect(asked.filter(({ cancelWanted }) => cancelWanted).map(({ id }) => id)).toEqual([offers[0]]);

  await reportTransfer(db, offers[0]!, { event: 'cancelled' }, later);
  expect(await lease(later)).toEqual([waiting]);
  const [back] = await rewardsOf(db, ruleId);
  expect(back?.state).toBe('promised');
});

test('A place that is kept for returns is not taken from one for a claim', async () => {
  const kinds = Array.from({ length: ownPlaces.return }, () => asset());
  await deposit(db, streamer, kinds, START_MS - 9 * day);
  for (const { id } of await itemsOf(db, streamer.userId)) {
    const request = { requestId: newId(START_MS), userId: streamer.userId, itemIds: [id] };
    expect(await returnItems(db, request, START_MS - 2 * hour)).toMatchObject({ ok: true });
  }
  const returned = await sendQueued(db, START_MS - 2 * hour);
  expect(returned).toHaveLength(ownPlaces.return);
  await fullBot();
  const halfPast = START_MS + 30 * minute;
  expect(await makePlace(db, { botId }, halfPast)).toEqual({ asked: 0, nextMs: 30 * minute });
  const now = await Promise.all(returned.map(({ id }) => transferOf(db, id)));
  expect(now.filter(({ cancelWanted }) => cancelWanted)).toEqual([]);
});

test('Who loses a place to others can claim for as long as the offer would have stayed', async () => {
  const { ruleId, offers, waiting } = await fullBot();
  const [before] = await rewardsOf(db, ruleId);
  const late = (before?.claimUntilMs ?? 0) - minute;
  // The last claim of all that are open is sent a minute before its window ends.
  for (const id of offers) await reportTransfer(db, id, { event: 'declined' }, START_MS + hour);
  await sendQueued(db, late);
  expect((await transferOf(db, waiting)).cancelAtMs).toBe(late + day);
  await withdrawFor(waiting, late + hour);
  // Asked once more for no reason of its own.
  await transferTransaction(db, waiting, (tx) => withdrawTransfer(tx, waiting, {}, late + hour));
  await reportTransfer(db, waiting, { event: 'cancelled' }, late + hour);
  const back = (await rewardsOf(db, ruleId)).at(-1);
  expect(back).toMatchObject({ state: 'promised', claimUntilMs: late + day });
  expect(await lastMail()).toMatchObject({ template: 'claimFailed', values: { why: 'notAccepted' } });
});

test('Time that was given back while an offer stood stays given when others need its place', async () => {
  const { ruleId, offers } = await fullBot();
  const rewardId = (await transferOf(db, offers[0]!)).rewardId ?? '';
  const windowOf = async () => (await rewardsOf(db, ruleId)).find(({ id }) => id === rewardId);
  await db.transaction((tx) => extendClaimWindow(tx, rewardId, 10 * hour));
  const before = await windowOf();
  await withdrawFor(offers[0]!, START_MS + hour);
  await reportTransfer(db, offers[0]!, { event: 'cancelled' }, START_MS + hour);
  expect(await windowOf()).toMatchObject({ state: 'promised', claimUntilMs: before?.claimUntilMs });
});

test('An offer that Steam holds in escrow takes no place', async () => {
  const { offers, waiting, lease } = await fullBot();
  await reportTransfer(db, offers[3]!, { event: 'escrowed' }, START_MS + hour);
  expect(await lease(START_MS + hour)).toEqual([waiting]);
});

test('An offer that was answered, or is shown for less than an hour, keeps its place', async () => {
  const { offers, waiting } = await fullBot();
  const later = START_MS + hour;
  await reportTransfer(db, offers[0]!, { event: 'declined' }, later);
  const [sent] = await sendQueued(db, later);
  expect(sent?.id).toBe(waiting);
  expect(await makePlace(db, { botId }, later)).toEqual({ asked: 0, nextMs: null });
  const asked = await Promise.all(offers.map((id) => transferOf(db, id)));
  expect(asked.filter(({ cancelWanted }) => cancelWanted)).toEqual([]);
});

test('Whoever comes first, each kind has its own places, and no account has more than Steam allows', () => {
  const someone = { partnerSteamId: '', userId: '', hasDeposited: false, offers: 1 };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...transferKinds), { maxLength: 60 }), (kinds) => {
      const open = new CountedOffers();
      const sent = { claim: 0, return: 0, deposit: 0 };
      for (const kind of kinds) {
        if (sent[kind] < ownPlaces[kind]) expect(open.hasPlaceForKind(kind)).toBe(true);
        if (!open.hasPlaceForKind(kind)) continue;
        open.add({ ...someone, kind });
        sent[kind] += 1;
      }
      expect(sent.claim + sent.return + sent.deposit).toBeLessThanOrEqual(MAX_OPEN_OFFERS);
    }),
  );
});
