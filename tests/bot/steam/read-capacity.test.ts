import { expect, test, vi } from 'vitest';
import { readCapacity } from '#bot/steam/read-capacity.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { botCapacities } from '#db/schema/bot.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';
import {
  askForDeposit,
  hat,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

test('The room of a bot is stored as Steam tells it; without an answer the last one stays', async () => {
  const shown = { slots: 50, assetIds: ['medal'] };
  const backpack = vi.fn<SteamAccount['backpack']>(async () => ({ ok: true, value: shown }));
  const { work } = makeTransferWork(db, botId, { backpack });
  const stored = () => db.read.select().from(botCapacities);
  await readCapacity({ ...work, account: () => null })();
  backpack.mockResolvedValueOnce(failure('steamUnavailable', 'later'));
  await readCapacity(work)();
  expect(await stored()).toEqual([]);
  await readCapacity(work)();
  backpack.mockResolvedValueOnce(failure('steamUnavailable', 'later'));
  await readCapacity(work)();
  expect(await stored()).toEqual([{ botId, appId: 440, capacity: 49 }]);
  shown.slots = 300;
  await readCapacity(work)();
  expect(await stored()).toEqual([{ botId, appId: 440, capacity: 299 }]);
});

test('A bot with a free account takes a fiftieth hat, and lets the next one wait', async () => {
  const stage = await setSteamStage();
  stage.bot.backpackSlots = 50;
  for (let held = 0; held < 49; held += 1) stage.world.give(stage.bot.steamId, hat);
  await startBot(stage);
  await until(async () => (await stage.db.read.select().from(botCapacities)).length > 0, 'the room');
  const first = await askForDeposit(stage, hat);
  const next = await askForDeposit(stage, hat);
  await transferIn(stage, first.transferId, 'sent');
  await until(
    async () => (await transferOf(stage, next.transferId)).lastError === 'noRoom',
    'the wait for room',
  );
  expect(stage.world.offers()).toHaveLength(1);
});
