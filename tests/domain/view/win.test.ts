import { beforeEach, describe, expect, test } from 'vitest';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { markWinSeen } from '#domain/reward/mark-win-seen.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { getWin } from '#domain/view/get-win.ts';
import { acceptOffer, addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

let [viewer, another]: Person[] = [];
let rewardId: string;
beforeEach(async () => {
  [viewer, another] = [await addPerson(db), await addPerson(db)];
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  rewardId = rewards[0]!.id;
});

async function deliver(): Promise<string> {
  await claimReward(db, { rewardId, userId: viewer!.userId }, START_MS + hour);
  const [sent] = await sendQueued(db, START_MS + 2 * hour);
  await acceptOffer(db, sent!.id, await assetsIn(db, sent!.id), START_MS + 3 * hour);
  return sent!.id;
}

const seenBy = (reader: Person | undefined) => getWin(db, { rewardId, userId: reader?.userId ?? null });
const mark = (reader: Person | undefined) =>
  markWinSeen(db, { rewardId, userId: reader!.userId }, START_MS + day);

describe('The page of a reward', () => {
  test('is there once it was delivered, and tells only its viewer how', async () => {
    expect(await seenBy(viewer)).toBeNull();
    await claimReward(db, { rewardId, userId: viewer!.userId }, START_MS + hour);
    const [sent] = await sendQueued(db, START_MS + 2 * hour);
    expect(await seenBy(viewer)).toBeNull();
    await acceptOffer(db, sent!.id, await assetsIn(db, sent!.id), START_MS + 3 * hour);
    const shown = { status: 'delivered', deliveredAtMs: START_MS + 3 * hour, promisedAtMs: START_MS };
    expect(await seenBy(viewer)).toMatchObject({
      ...shown,
      own: { isSeen: false, hidesName: false, offer: { sentAtMs: START_MS + 2 * hour, bot: botId } },
    });
    for (const reader of [another, undefined])
      expect(await seenBy(reader)).toMatchObject({ ...shown, own: null });
  });

  test('names its viewer as their setting says', async () => {
    await deliver();
    const name = (await seenBy(undefined))?.viewerName;
    expect(name).toMatch(/\w/);
    await setPreferences(db, { userId: viewer!.userId, preferences: { hidesName: true } });
    expect((await seenBy(undefined))?.viewerName).toBeNull();
    expect((await seenBy(viewer))?.own?.hidesName).toBe(true);
    await setPreferences(db, { userId: viewer!.userId, preferences: { hidesName: false } });
    expect((await seenBy(undefined))?.viewerName).toBe(name);
  });

  test('of a hidden channel is its viewer’s alone', async () => {
    await deliver();
    await setChannelHidden(db, { userId: streamer.userId, hidden: true }, START_MS);
    expect(await seenBy(another)).toBeNull();
    expect(await seenBy(undefined)).toBeNull();
    expect(await seenBy(viewer)).toMatchObject({ isHidden: true, status: 'delivered' });
  });

  test('says to its viewer alone that Steam reversed the trade', async () => {
    const transferId = await deliver();
    const [row] = await assetsIn(db, transferId);
    const moved = [{ appId: 730, assetId: row!.newAssetId!, newAssetId: 'back-1', newContextId: '2' }];
    await reportTransfer(db, transferId, { event: 'reversed', moved }, START_MS + day);
    expect(await seenBy(another)).toBeNull();
    expect(await seenBy(viewer)).toMatchObject({ status: 'reversed' });
    expect(await mark(viewer)).toEqual({ ok: false, code: 'notFound' });
  });
});

test('The card of a delivery is shown once, to its viewer', async () => {
  const refused = { ok: false, code: 'notFound' };
  expect(await mark(viewer)).toEqual(refused);
  await deliver();
  expect(await mark(another)).toEqual(refused);
  const asked = await Promise.all([mark(viewer), mark(viewer)]);
  expect(asked.map((each) => each.ok && each.first).toSorted()).toEqual([false, true]);
  expect(await mark(viewer)).toEqual({ ok: true, first: false });
  expect((await seenBy(viewer))?.own?.isSeen).toBe(true);
});
