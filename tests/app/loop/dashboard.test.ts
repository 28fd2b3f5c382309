import { and, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { loader } from '#app/routes/dashboard/dashboard.tsx';
import { action as claimAction, loader as claimLoader } from '#app/routes/progress/claim.tsx';
import { claimCodeOf } from '#app/routes/progress/claim-code.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { is } from '#db/dialect.ts';
import { chatAccounts } from '#db/schema/account.ts';
import { rewards } from '#db/schema/reward.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { acceptOffer, addBot, addPerson, addRule, addStreamer, sendQueued } from '#tests/support/fixtures.ts';
import { occupyLeases } from '#tests/support/leases.ts';
import { assetsIn, rewardsOf } from '#tests/support/looking.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { watchFor } from '#tests/support/watching.ts';
import { withoutTable } from '../support/broken-store.ts';
import { visitorOf } from '../support/signed-in.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
const db = await database();
await addBot(db);

const look = async (userId: string, query = '') =>
  (await (await visitorOf(userId)).call(loader, `/dashboard${query}`)).body;

describe('Somebody without rules and permissions', () => {
  test('sees the viewer’s day and checklist, until they say that they stream', async () => {
    const { userId } = await addPerson(db);
    expect(await look(userId)).toMatchObject({ role: 'viewer', streams: false, found: { streamer: null } });
    const chosen = await look(userId, '?view=streamer');
    expect(chosen).toMatchObject({
      role: 'streamer',
      streams: false,
      found: { streamer: null, viewer: null },
    });
    expect(chosen.readiness).toMatchObject({ twitch: true, permissions: false, item: false });
  });
});

test('Who sets up a connected channel is asked to make the bot a moderator, until everything is set up', async () => {
  const login = 'our_demo_bot';
  await db.transaction(async (tx) => {
    const sealed = { accessTokenSealed: '', refreshTokenSealed: '', scopes: [] };
    const token = { tokenObtainedAtMs: 0, tokenLifetimeSeconds: 0 };
    await tx.insert(chatAccounts).values({ twitchId: login, login, ...sealed, ...token });
  });
  await occupyLeases(db, [`chat:${login}`]);
  const { userId } = await addPerson(db);
  expect((await look(userId, '?view=streamer')).speakers).toEqual([]);
  const streamer = await addStreamer(db);
  expect((await look(streamer.userId, '?view=streamer')).speakers).toEqual([login]);
  expect((await look(streamer.userId, '?view=viewer')).speakers).toEqual([]);
  await addRule(db, streamer);
  expect((await look(streamer.userId)).speakers).toEqual([]);
});

describe('A streamer', () => {
  test('sees the watch time of the own channel over the chosen days, and its table when asked for', async () => {
    const streamer = await addStreamer(db);
    const nowMs = (await domainNow()) - 2 * minute;
    await goLive(db, streamer.twitchId, nowMs);
    await readChatters(db, streamer.twitchId, ['1', '2'], nowMs + minute);
    const { role, found } = await look(streamer.userId);
    expect(role).toBe('streamer');
    expect(found.streamer).toMatchObject({ period: 30, table: null });
    expect(found.streamer.figures.watchTime.value).toBeCloseTo(120 / 3600);
    const asked = await look(streamer.userId, '?days=7&table=watchTime');
    expect(asked.found.streamer.table.days).toHaveLength(7);
    expect(asked.found.streamer.table.of).toBe('watchTime');
    expect((await look(streamer.userId, '?days=8&table=evil')).found.streamer).toMatchObject({
      period: 30,
      table: null,
    });
  });

  test('sees what becomes usable in the seven days from today', async () => {
    const streamer = await addStreamer(db);
    const nowMs = await domainNow();
    await addRule(db, streamer, { rewards: 2, nowMs: nowMs + 3 * day });
    await addRule(db, streamer, { rewards: 0 });
    const { unlocking, lowOnStock } = (await look(streamer.userId)).found.streamer.tasks;
    expect(unlocking.days).toHaveLength(7);
    expect(unlocking.items).toBe(2);
    expect(lowOnStock).toMatchObject([{ free: 0, isUsed: false }]);
  });
});

test('A viewer sees what can be claimed, then the offer, then the item for a day', async () => {
  const streamer = await addStreamer(db);
  const { userId, twitchId } = await addPerson(db);
  const nowMs = (await domainNow()) - hour;
  const ruleId = await addRule(db, streamer, { nowMs: nowMs - 10 * day });
  await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const mine = async () => {
    const { ready, awaiting, delivered, past } = (await look(userId)).found.viewer;
    return [ready.length, awaiting.length, delivered.length, past.length];
  };
  expect(await mine()).toEqual([1, 0, 0, 0]);
  const [reward] = await rewardsOf(db, ruleId);
  await claimReward(db, { rewardId: reward?.id ?? '', userId }, nowMs);
  expect(await mine()).toEqual([0, 1, 0, 0]);
  const [sent] = await sendQueued(db, nowMs);
  const transferId = sent?.id ?? '';
  await acceptOffer(db, transferId, await assetsIn(db, transferId), nowMs);
  expect(await mine()).toEqual([0, 0, 1, 0]);
  const { deliveries } = (await look(streamer.userId)).found.streamer;
  expect(deliveries).toMatchObject([{ id: reward?.id, atMs: expect.any(Number) }]);
});

test('A viewer sees channels that are live and have an open rule', async () => {
  const streamer = await addStreamer(db);
  const { userId } = await addPerson(db);
  const nowMs = (await domainNow()) - hour;
  await addRule(db, streamer, { rewards: 2, nowMs: nowMs - 10 * day });
  const mine = async () =>
    (await look(userId)).found.viewer.live.filter(({ id }: { id: string }) => id === streamer.twitchId);
  expect(await mine()).toEqual([]);
  await goLive(db, streamer.twitchId, nowMs);
  expect(await mine()).toMatchObject([{ live: true, freeRewards: 2 }]);
});

test('An item delivered today stands on top, however many later promises have ended', async () => {
  const streamer = await addStreamer(db);
  const { userId, twitchId } = await addPerson(db);
  const nowMs = (await domainNow()) - hour;
  const promise = async (atMs: number) => {
    const ruleId = await addRule(db, streamer, { nowMs: atMs });
    await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
    await evaluateChannel(db, streamer.twitchId, atMs);
    const [reward] = await rewardsOf(db, ruleId);
    return reward?.id ?? '';
  };
  await claimReward(db, { rewardId: await promise(nowMs - 10 * day), userId }, nowMs - 10 * day);
  const [sent] = await sendQueued(db, nowMs);
  for (let ended = 0; ended < 11; ended++) await promise(nowMs - 9 * day + ended);
  await db.transaction(async (tx) => {
    const later = and(eq(rewards.userId, userId), is(rewards.state, 'promised'));
    await tx.update(rewards).set({ state: 'recalled', recallReason: 'timedOut' }).where(later);
  });
  await acceptOffer(db, sent?.id ?? '', await assetsIn(db, sent?.id ?? ''), nowMs);
  const { delivered, past } = (await look(userId)).found.viewer;
  expect(delivered).toHaveLength(1);
  expect(past.every(({ state }: { state: string }) => state === 'recalled')).toBe(true);
});

test('A count of rewards that fails signs nobody out', async () => {
  const visitor = await visitorOf((await addPerson(db)).userId);
  const look = () => visitor.call(profileLoader, '/profile');
  await look();
  expect((await withoutTable('rewards', look)).body).toHaveProperty('account');
});

test('The security code shown before a claim is the one of its offer', async () => {
  const streamer = await addStreamer(db);
  const { userId, twitchId } = await addPerson(db);
  const nowMs = (await domainNow()) - hour;
  const ruleId = await addRule(db, streamer, { nowMs: nowMs - 10 * day });
  await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const [reward] = await rewardsOf(db, ruleId);
  const [page, sent] = [`/rewards/${reward?.id}/claim`, { params: { id: reward?.id ?? '' } }];
  const visitor = await visitorOf(userId);
  const { offer } = (await visitor.call(claimLoader, page, sent)).body;
  expect(offer.code).toMatch(/^\w{4}-\w{4}$/);
  await visitor.call(claimAction, page, { ...sent, form: {} });
  const { rows } = await listMyRewards(db, { userId, states: ['reserved'] });
  expect(rows[0]?.offer).toMatchObject({ securityCode: offer.code, bot: { name: offer.bot.name } });
  expect(claimCodeOf(reward?.id ?? '', rows[0]?.offer?.transferId ?? '')).not.toBe(offer.code);
});
