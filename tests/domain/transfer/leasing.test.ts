import { expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { newId } from '#domain/id.ts';
import { claimReward } from '#domain/reward/claim-reward.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { listBusyAssets } from '#domain/transfer/list-busy-assets.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addPerson, asset, START_MS } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, database, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const request = (requestId: string, assets = [asset()]) =>
  requestDeposit(database, { requestId, userId: streamer.userId, assets }, START_MS, Date.now());
const lease = (limit?: number) =>
  leaseTransfers(database, { botId, holder: 'one', ...(limit && { limit }) }, START_MS, Date.now());

test('A process takes no more transfers than it can send now: the rest stays free to be withdrawn', async () => {
  for (let nth = 0; nth < 3; nth++) await request(newId(START_MS));
  expect(await lease(1)).toHaveLength(1);
  expect(await lease(1)).toHaveLength(1);
  expect(await lease(5)).toHaveLength(1);
});

test('A claim that depends on nothing that may end is sent without asking Twitch', async () => {
  const viewer = await addPerson(database);
  const { rewards } = await promiseTo(database, streamer, [viewer]);
  await claimReward(database, { rewardId: rewards[0]!.id, userId: viewer.userId }, START_MS);
  expect(await lease()).toMatchObject([{ kind: 'claim', partnerSteamId: viewer.steamId }]);
});

test('A deposit asked for again gets the first answer, even when no bot could take it now', async () => {
  const requestId = newId(START_MS);
  const assets = [asset()];
  expect(await request(requestId, assets)).toEqual({ ok: true, transferId: requestId });
  await database.transaction(async (tx) => {
    await tx.update(bots).set({ state: 'offline' });
  });
  expect(await request(requestId, assets)).toEqual({ ok: true, transferId: requestId });
  expect(await request(newId(START_MS))).toEqual({ ok: false, code: 'noBotAvailable' });
});

test('An item in a deposit under way cannot be picked again until the deposit has ended', async () => {
  const busy = async (userId = streamer.userId) => [...(await listBusyAssets(database, { userId }))];
  const item = asset('Demo hat', { appId: 440 });
  await request(newId(START_MS), [item]);
  expect(await busy()).toEqual([`440/${item.assetId}`]);
  expect(await busy((await addPerson(database)).userId)).toEqual([]);
  const [leased] = await lease();
  await reportTransfer(database, leased!.id, { event: 'refused', error: 'tradeBanned' }, START_MS);
  expect(await busy()).toEqual([]);
});
