import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { unlinkSteam } from '#domain/account/steam/unlink-steam.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { testVault } from '#tests/support/database.ts';
import { addPerson, type Person, START_MS, sendQueued, steamIdOf } from '#tests/support/fixtures.ts';
import { rewardsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

async function promised(viewer: Person) {
  const { ruleId, rewards } = await promiseTo(db, streamer, [viewer]);
  const rewardId = rewards[0]?.id ?? '';
  return {
    ruleId,
    claim: (nowMs = START_MS + hour) => claimReward(db, { rewardId, userId: viewer.userId }, nowMs),
    state: async () => (await rewardsOf(db, ruleId)).map(({ state, userId }) => [state, userId]),
    sentTo: async () =>
      (await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId))).map(
        ({ partnerSteamId }) => partnerSteamId,
      ),
  };
}

async function linkTo({ userId }: Person, steamId: string) {
  expect(await linkSteam(db, { userId, steamId }, START_MS)).toEqual({ ok: true });
  const tradeLink = formatTradeLink({ steamId, token: 'tokenXYZ' });
  expect(await setTradeLink(db, { userId, tradeLink }, START_MS)).toEqual({ ok: true, steamId });
}

async function disconnectTwitch({ userId, twitchId }: Person) {
  const sealed = testVault.seal('a demo token', `twitch:${twitchId}`);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ passwordHash: 'a demo hash' }).where(eq(users.id, userId));
    const tokens = { accessTokenSealed: sealed, refreshTokenSealed: sealed };
    await tx.update(twitchAccounts).set(tokens).where(eq(twitchAccounts.twitchId, twitchId));
  });
  expect((await unlinkTwitch(db, { vault: testVault, userId }, START_MS)).ok).toBe(true);
}

test('A promise that came before its viewer connected Steam waits for it, and goes there', async () => {
  const viewer = await addPerson(db, { steam: false });
  const { claim, state, sentTo } = await promised(viewer);
  expect(await claim()).toEqual({ ok: false, code: 'steamNotLinked' });
  expect(await state()).toEqual([['promised', viewer.userId]]);
  await linkTo(viewer, viewer.steamId);
  expect(await claim()).toMatchObject({ ok: true });
  expect(await sentTo()).toEqual([viewer.steamId]);
});

test('A Steam account or trade link that is gone by the claim is asked for again, and the promise stays', async () => {
  const viewer = await addPerson(db);
  const { claim, state, sentTo } = await promised(viewer);
  await db.transaction((tx) => tx.update(steamAccounts).set({ tradeToken: null }));
  expect(await claim()).toEqual({ ok: false, code: 'tradeLinkMissing' });
  await unlinkSteam(db, viewer, START_MS);
  expect(await claim()).toEqual({ ok: false, code: 'steamNotLinked' });
  expect(await state()).toEqual([['promised', viewer.userId]]);
  const another = steamIdOf(77_000);
  await linkTo(viewer, another);
  expect(await claim()).toMatchObject({ ok: true });
  expect(await sentTo()).toEqual([another]);
});

test('A claim goes to the Steam account that it was made with, though another is connected before it is sent', async () => {
  const viewer = await addPerson(db);
  const { claim } = await promised(viewer);
  expect(await claim()).toMatchObject({ ok: true });
  await unlinkSteam(db, viewer, START_MS);
  await linkTo(viewer, steamIdOf(77_001));
  const [sent] = await sendQueued(db, START_MS + hour);
  expect(await transferOf(db, sent?.id ?? '')).toMatchObject({
    state: 'sent',
    partnerSteamId: viewer.steamId,
    userId: viewer.userId,
  });
});

test('Who disconnected Twitch before claiming still claims, and nobody else is promised it', async () => {
  const viewer = await addPerson(db);
  const { claim, state } = await promised(viewer);
  await disconnectTwitch(viewer);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  expect(await state()).toEqual([['promised', viewer.userId]]);
  expect(await claim()).toMatchObject({ ok: true });
  expect(await state()).toEqual([['reserved', viewer.userId]]);
});
