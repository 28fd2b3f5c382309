import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { events, mails } from '#db/schema/outbox.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { renameUser } from '#domain/account/rename-user.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { unlinkSteam } from '#domain/account/steam/unlink-steam.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { dismissGuest } from '#domain/audience/dismiss-guest.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { isChannelHidden, setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import type { Announcement } from '#domain/outbox/announce.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { driftOutgoing } from '#tests/support/drift.ts';
import { addPerson, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { admit } from '#tests/support/guests.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, goOff } from '#tests/support/stream.ts';

// A change that is not announced stays unseen on an open page until somebody reloads it.
setScene();

type Changes = [userId: string, kind: Announcement, subjectId: string];

/** Returns the announcements to open pages while this happened. */
async function reportedWhile(happens: () => Promise<unknown>): Promise<Changes[]> {
  const all = () => db.read.select().from(events).orderBy(asc(events.id));
  const before = (await all()).length;
  await happens();
  return (await all())
    .slice(before)
    .map(({ userId, kind, subjectId }) => [userId, kind as Announcement, subjectId]);
}

const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];

test('A broadcaster’s pages hear of the stream and of the channel’s settings', async () => {
  const { userId, twitchId } = streamer;
  const changed = [[userId, 'channel.changed', twitchId]];
  expect(await reportedWhile(() => goLive(db, twitchId))).toEqual(changed);
  expect(await reportedWhile(() => goLive(db, twitchId, START_MS + minute))).toEqual([]);
  expect(await reportedWhile(() => goOff(db, twitchId, START_MS + hour))).toEqual(changed);
  const settings = { chatLocale: 'ru', announcesPromises: false } as const;
  expect(await reportedWhile(() => setChatSettings(db, { userId, settings }, START_MS))).toEqual(changed);
  expect(await reportedWhile(() => setChannelHidden(db, { userId, hidden: true }, START_MS))).toEqual(
    changed,
  );
  expect(await isChannelHidden(db.read, twitchId)).toBe(true);
});

test('A guest’s pages hear of being admitted and dismissed', async () => {
  const guest = await addPerson(db);
  const changed = [[guest.userId, 'channel.changed', streamer.twitchId]];
  expect(await reportedWhile(() => admit(db, streamer, guest))).toEqual(changed);
  const { userId } = streamer;
  expect(await reportedWhile(() => dismissGuest(db, { userId, guestId: guest.userId }, START_MS))).toEqual(
    changed,
  );
});

test('An owner’s pages hear of a rule’s pause, why it lasts, its end, and the rewards on it', async () => {
  const { userId } = streamer;
  const ruleId = await addRule(db, streamer);
  const changed = [userId, 'rule.changed', ruleId];
  const pause = () =>
    db.transaction((tx) => pauseRulesOf(tx, { ownerId: userId, reason: 'lostPermission' }, START_MS));
  const grant = (state: 'connected' | 'restricted') =>
    db.transaction(async (tx) => {
      await tx.update(twitchAccounts).set({ state }).where(eq(twitchAccounts.userId, userId));
    });
  const resume = () => resumeRules(db, { ownerId: userId, reason: 'lostPermission' }, START_MS);
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  expect(await reportedWhile(() => attachRewards(db, { ruleId, userId, kinds }, START_MS))).toContainEqual(
    changed,
  );
  expect(await reportedWhile(() => detachRewards(db, { ruleId, userId, kinds }, START_MS))).toContainEqual(
    changed,
  );
  expect(await reportedWhile(pause)).toEqual([changed]);
  await grant('restricted');
  expect(await reportedWhile(resume)).toEqual([changed]);
  await grant('connected');
  expect(await reportedWhile(resume)).toEqual([changed]);
  expect(await reportedWhile(() => closeRule(db, { ruleId, userId }, START_MS))).toContainEqual(changed);
});

test('An owner’s pages hear of new weights', async () => {
  const { userId } = streamer;
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1 });
  const weights = [{ appId: 730, marketHashName: 'Demo case', weight: 7 }];
  expect(await reportedWhile(() => setKindWeights(db, { ruleId, userId, weights }, START_MS))).toEqual([
    [userId, 'rule.changed', ruleId],
  ]);
});

test('Owner and viewer hear of a promise and of a redemption; the viewer of a longer time to claim', async () => {
  const viewer = await addPerson(db);
  const reported = await reportedWhile(() => promiseTo(db, streamer, [viewer]));
  const promised = reported.filter(([, kind]) => kind === 'reward.changed');
  expect(new Set(promised.map(([userId]) => userId))).toEqual(new Set([streamer.userId, viewer.userId]));
  const [[, , rewardId]] = promised as [Changes];
  const ruleId = await addPointsRule(db, streamer, { rewards: 0 });
  const redeemed = await reportedWhile(() => redeem(db, ruleId, viewer));
  for (const { userId } of [streamer, viewer])
    expect(redeemed).toContainEqual([userId, 'rule.changed', ruleId]);
  const heartbeat = async (systemMs: number) => {
    await recordHeartbeat(db, botId, { systemMs, nowMs: START_MS + hour });
    await extendClaimWindows(db, START_MS + hour);
  };
  const aliveMs = Date.now() + 2 * day;
  await heartbeat(aliveMs);
  expect(await reportedWhile(() => heartbeat(aliveMs + hour))).toEqual([
    [viewer.userId, 'reward.changed', rewardId],
  ]);
});

test('A viewer’s pages hear of a claim that waits for the operator, and of its longer time when it goes on', async () => {
  const viewer = await addPerson(db);
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  const [{ id: rewardId, itemId }] = rewards as [(typeof rewards)[number]];
  const claimed = await reportedWhile(() => claimReward(db, { rewardId, userId: viewer.userId }, START_MS));
  const queued = claimed.find(([, kind]) => kind === 'transfer.changed');
  expect(await reportedWhile(() => driftOutgoing(db, [itemId], START_MS))).toEqual([queued]);
  expect(await reportedWhile(() => settleDrift(db, { itemId }, START_MS + hour))).toEqual([
    queued,
    [viewer.userId, 'reward.changed', rewardId],
  ]);
});

test('A streamer’s pages hear of items that arrive and of items that are missing', async () => {
  const { userId } = streamer;
  const arrived = await reportedWhile(() => deposit(db, streamer, [asset()], START_MS - 8 * day));
  expect(arrived.map(([whom, kind]) => [whom, kind])).toContainEqual([userId, 'items.changed']);
  const reading = { botId, appId: 730, found: [], readAtMs: START_MS, absentBefore: new Set<string>() };
  const { absent } = await reconcileItems(db, reading, START_MS);
  const again = { ...reading, absentBefore: new Set(absent) };
  const lost = await reportedWhile(() => reconcileItems(db, again, START_MS));
  expect(lost.map(([whom, kind]) => [whom, kind])).toContainEqual([userId, 'items.changed']);
});

test('A person’s pages hear of each change of the account', async () => {
  const { userId, steamId } = streamer;
  const changed = (subjectId: string, whom = userId) => [[whom, 'account.changed', subjectId]];
  expect(await reportedWhile(() => renameUser(db, { userId, name: 'Another' }, START_MS))).toEqual(
    changed(userId),
  );
  const tradeLink = formatTradeLink({ steamId, token: 'AbCdEfGh' });
  expect(await reportedWhile(() => setTradeLink(db, { userId, tradeLink }, START_MS))).toEqual(
    changed(steamId),
  );
  expect(await reportedWhile(() => unlinkSteam(db, { userId }, START_MS))).toEqual(changed(steamId));
  expect(await reportedWhile(() => linkSteam(db, { userId, steamId }, START_MS))).toEqual(changed(steamId));

  const email = 'mira@example.org';
  await registerUser(db, { name: 'Mira', email, passwordHash: 'phc', locale: 'en' }, START_MS);
  const mailed = async () =>
    (await db.read.select().from(mails).orderBy(asc(mails.id))).at(-1)?.values.token ?? '';
  const token = await mailed();
  const verified = await reportedWhile(() => verifyEmail(db, { token }, START_MS));
  const [[miraId]] = verified as [Changes];
  expect(verified).toEqual(changed(miraId, miraId));
  await requestPasswordReset(db, { email }, START_MS);
  const reset = { email, token: await mailed(), password: 'a newer sentence', site: 'localhost' };
  expect(await reportedWhile(() => resetPassword(db, reset, START_MS))).toEqual(changed(miraId, miraId));
});
