import { expect, test } from 'vitest';
import { day } from '#domain/kernel/time.ts';
import {
  askForDeposit,
  botRow,
  itemsOf,
  setSteamStage,
  startBot,
  transferIn,
} from '#tests/support/steam-stage.ts';

test('An accepted deposit becomes an item under its new asset id, locked as long as Steam protects it', async () => {
  const stage = await setSteamStage();
  await startBot(stage);
  expect(await botRow(stage)).toMatchObject({
    state: 'ready',
    steamId: stage.bot.steamId,
    protectionAcknowledged: true,
  });

  const { transferId, item } = await askForDeposit(stage);
  const sent = await transferIn(stage, transferId, 'sent');
  const offer = stage.world.offer(sent.offerId ?? '');
  expect(offer?.message).toContain(sent.securityCode);
  expect(offer?.give).toEqual([]);
  expect(stage.world.accept(offer?.id ?? '', stage.streamer.steamId).ok).toBe(true);

  await transferIn(stage, transferId, 'accepted');
  const [held] = stage.world.inventoryOf(stage.bot.steamId);
  expect(held?.assetid).not.toBe(item.assetid);
  const [stored] = await itemsOf(stage);
  expect(stored).toMatchObject({ state: 'held', assetId: held?.assetid, contextId: '16' });
  expect(stored?.lockedUntilMs).toBeGreaterThanOrEqual((held?.protectedUntil ?? 0) * 1000);
  expect(stored?.lockedUntilMs).toBeLessThan(stage.clock.now() + 7 * day + 60_000);

  stage.passDays(8);
  await transferIn(stage, transferId, 'settled');
});
