import { expect, test } from 'vitest';
import { is, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { openOfferStates, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import {
  assetOf,
  joinWorld,
  rifle,
  type SteamStage,
  setSteamStage,
  startBot,
  transferIn,
  transferOf,
  until,
} from '#tests/support/steam-stage.ts';

/** Somebody who may have four deposits under way, because one was accepted before. */
async function addDepositor(stage: SteamStage, place: number) {
  const person = await joinWorld(stage.world, await addPerson(stage.db), `Demo depositor ${place}`);
  const nowMs = stage.clock.now();
  await stage.db.transaction(async (tx) => {
    await tx.insert(items).values({
      ...assetOf({ ...stage.world.give(person.steamId, rifle), contextid: '2' }, rifle),
      id: newId(nowMs),
      ownerId: person.userId,
      botId: stage.credentials.name,
      state: 'gone',
      lockedUntilMs: 0,
      depositorSteamId: person.steamId,
      receivedAtMs: nowMs,
    });
  });
  return person;
}

async function deposit(stage: SteamStage, person: Awaited<ReturnType<typeof addDepositor>>) {
  const requestId = newId(stage.clock.now());
  const assets = [assetOf(stage.world.give(person.steamId, rifle), rifle)];
  const request = { requestId, userId: person.userId, assets };
  return requestDeposit(stage.db, request, stage.clock.now(), Date.now());
}

const openDeposits = ({ db }: SteamStage) =>
  db.read.$count(transfers, within(transfers.state, openOfferStates));

test('Deposits that nobody answers do not keep a claim waiting, and are taken back after half an hour', async () => {
  const stage = await setSteamStage();
  const { world, bot } = stage;
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  const attackers = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((place) => addDepositor(stage, place)));
  for (const attacker of attackers)
    for (let nth = 0; nth < 4; nth++) expect((await deposit(stage, attacker)).ok).toBe(true);
  expect(await deposit(stage, attackers[0]!)).toEqual({ ok: false, code: 'tooManyDeposits' });
  await until(async () => (await openDeposits(stage)) === 17, 'as many deposits as may be open');

  const transferId = await claim(stage, rewardId);
  await transferIn(stage, transferId, 'sent');
  expect(await openDeposits(stage)).toBe(18);
  expect(world.offersOf(bot.steamId).filter(({ state }) => state === 2)).toHaveLength(18);

  stage.passDays(30 / (24 * 60));
  await until(
    async () => (await stage.db.read.$count(transfers, is(transfers.state, 'cancelled'))) === 17,
    'the deposits that were not answered, taken back',
  );
  await until(async () => (await openDeposits(stage)) === 12, 'the others, sent now');
  expect((await transferOf(stage, transferId)).state).toBe('sent');
  expect(world.offersOf(bot.steamId).filter(({ state }) => state === 2)).toHaveLength(12);
});
