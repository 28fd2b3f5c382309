import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { excludedLogins } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { freezeAccount } from '#domain/freeze/freeze-account.ts';
import { thawRule } from '#domain/freeze/thaw-rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { cancelRaffleOfRule } from '#domain/raffle/cancel-raffle.ts';
import { exportRaffle } from '#domain/raffle/export-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { runRaffles } from '#domain/raffle/run-raffles.ts';
import { startRaffle } from '#domain/raffle/start-raffle.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import {
  addRaffle,
  drawRaffle,
  enter,
  placesOf,
  raffleDraft,
  raffleOf,
  rewardsOfRaffle,
  stock,
} from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

async function drawnWithoutAccount(): Promise<{ raffleId: string; drawnAtMs: number; winner: string }> {
  const raffleId = await addRaffle(db, streamer);
  await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds: ['900001', '900002'] });
  const drawnAtMs = await drawRaffle(db);
  const [first] = await placesOf(db, raffleId);
  expect(first?.placeState).toBe('held');
  return { raffleId, drawnAtMs, winner: first?.twitchId ?? '' };
}

async function signIn(twitchId: string): Promise<string> {
  const { userId } = await addPerson(db);
  await db.transaction(async (tx) => {
    await tx.update(twitchAccounts).set({ twitchId }).where(eq(twitchAccounts.userId, userId));
  });
  return userId;
}

test('A freeze stops a raffle that was started since the disowned act, though its items were set aside before', async () => {
  const { userId } = streamer;
  const preparedAtMs = START_MS - hour;
  await stock(db, streamer, 1, preparedAtMs);
  const raffleId = newId(preparedAtMs);
  await prepareRaffle(db, { requestId: raffleId, userId, draft: raffleDraft() }, preparedAtMs);
  expect((await startRaffle(db, { raffleId }, START_MS)).ok).toBe(true);
  await db.transaction((tx) => freezeAccount(tx, { userId, actAtMs: START_MS - minute }, START_MS + 1));
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, raffleId));
  expect(rule?.frozenAtMs).toBe(START_MS + 1);
});

test('A place that is kept for its winner stands, whatever the streamer does to them afterwards', async () => {
  const { raffleId, drawnAtMs, winner } = await drawnWithoutAccount();
  await db.transaction((tx) =>
    tx
      .insert(excludedLogins)
      .values({ channelId: streamer.twitchId, login: 'excluded_late', twitchId: winner })
      .returning(),
  );
  const userId = await signIn(winner);
  await runRaffles(db, drawnAtMs + hour);
  expect(await rewardsOfRaffle(db, raffleId)).toMatchObject([{ state: 'promised', userId }]);
});

test('The time of a freeze is given back to whoever a place is kept for', async () => {
  const { raffleId, drawnAtMs } = await drawnWithoutAccount();
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ frozenAtMs: drawnAtMs }).where(eq(rules.id, raffleId));
  });
  const thawedAtMs = drawnAtMs + 2 * day;
  await db.transaction((tx) => thawRule(tx, { ruleId: raffleId }, thawedAtMs), {
    lock: channelLock(streamer.twitchId),
  });
  await runRaffles(db, thawedAtMs);
  const [first] = await placesOf(db, raffleId);
  expect(first).toMatchObject({ placeState: 'held', heldUntilMs: thawedAtMs + 24 * hour });
});

test('A raffle that is cancelled after its draw keeps no place', async () => {
  const { raffleId, drawnAtMs } = await drawnWithoutAccount();
  await db.transaction((tx) => cancelRaffleOfRule(tx, raffleId, drawnAtMs + 1), {
    lock: channelLock(streamer.twitchId),
  });
  expect((await raffleOf(db, raffleId)).state).toBe('cancelled');
  const [first] = await placesOf(db, raffleId);
  expect(first).toMatchObject({ placeState: 'passed', passReason: 'itemGone', heldUntilMs: null });
  const places = (await exportRaffle(db.read, raffleId))?.entries.map(({ state }) => state) ?? [];
  expect(places).not.toContain('held');
});
