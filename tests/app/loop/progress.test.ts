import { eq } from 'drizzle-orm';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { action as claimAction, loader as claimLoader } from '#app/routes/progress/claim.tsx';
import { loader as progressLoader } from '#app/routes/progress/progress.tsx';
import { action as cancelAction, loader as cancelLoader } from '#app/routes/transfers/cancel-transfer.tsx';
import { loader as transfersLoader } from '#app/routes/transfers/transfers.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listTransfers } from '#domain/transfer/list-transfers.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, sendQueued } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { countNudges, startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let db: Database;
let streamer: Person;
let viewer: Person;
let visitor: Visitor;

beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  viewer = await addPerson(db);
  visitor = await visitorOf(viewer.userId);
  bot.nudges = 0;
});

/** The viewer meets a rule and is promised its reward; returns the reward's id. */
async function promise(nowMs = Date.now(), person = viewer): Promise<string> {
  await addRule(db, streamer, { rewards: 1, nowMs: nowMs - hour });
  await watchFor(db, streamer.twitchId, [[person.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const { body } = await (await visitorOf(person.userId)).call(progressLoader, '/rewardProgress');
  return body.found.ready[0]?.id ?? '';
}
const claim = (id: string, who = visitor) =>
  who.call(claimAction, `/rewards/${id}/claim`, { params: { id }, form: {} });
const claims = async () => (await listTransfers(db, { userId: viewer.userId, kind: 'claim' })).rows;

test('Progress is shown per rule, and a promise becomes ready to claim', async () => {
  await addRule(db, streamer, { rewards: 1, nowMs: Date.now() - hour });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 1800]]);
  const before = await visitor.call(progressLoader, '/rewardProgress');
  expect(before.body.found).toMatchObject({
    ready: [],
    progress: {
      rows: [{ status: 'inProgress', progress: { watch: { haveSeconds: 1800, needSeconds: 3600 } } }],
    },
  });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 1800]]);
  await evaluateChannel(db, streamer.twitchId, Date.now());
  const after = await visitor.call(progressLoader, '/rewardProgress');
  expect(after.body.found).toMatchObject({
    ready: [{ item: { name: 'Demo case' } }],
    progress: { rows: [] },
  });
});

test('A promise whose window ends during a bot outage is shown and can be claimed', async () => {
  await promise(Date.now() - 4 * day);
  const look = async () => (await visitor.call(progressLoader, '/rewardProgress')).body.found;
  expect(await look()).toMatchObject({ ready: [], outageMs: 0 });
  const { rows } = await listMyRewards(db, { userId: viewer.userId, states: ['promised'] });
  const id = rows[0]?.id ?? '';
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ heartbeatAtMs: Date.now() - 2 * hour });
  });
  const found = await look();
  expect(found.ready.map((reward: { id: string }) => reward.id)).toEqual([id]);
  expect(found.outageMs).toBeGreaterThanOrEqual(2 * hour);
  const confirm = await visitor.call(claimLoader, `/rewards/${id}/claim`, { params: { id } });
  expect(confirm.body.error).toBeNull();
  expect((await claim(id)).status).toBe(302);
  await expect.poll(() => bot.nudges).toBe(1);
});

test('A claim is confirmed, queued once, and shown with its offer once it is sent', async () => {
  const nudges = countNudges();
  const id = await promise();
  const confirm = await visitor.call(claimLoader, `/rewards/${id}/claim`, { params: { id } });
  expect(confirm.body).toMatchObject({ error: null, reward: { item: { name: 'Demo case' } } });
  expect(await claim(id)).toMatchObject({ location: '/rewardProgress', toast: 'progress.claim.done' });
  expect(await claim(id)).toMatchObject({ location: '/rewardProgress', toast: 'progress.claim.done' });
  expect(await claims()).toHaveLength(1);
  // Two claims at once are told together.
  await expect.poll(nudges).toBeGreaterThanOrEqual(1);
  await expect.poll(() => bot.nudges).toBeGreaterThanOrEqual(1);

  const queued = await visitor.call(progressLoader, '/rewardProgress');
  expect(queued.body.found.awaiting).toMatchObject([{ id, offer: { state: 'queued', offerId: null } }]);
  // Claims of other tests may be queued too.
  const [queuedClaim] = await claims();
  const sent = (await sendQueued(db, Date.now())).find((each) => each.id === queuedClaim?.id);
  const awaiting = await visitor.call(progressLoader, '/rewardProgress');
  expect(awaiting.body.found.awaiting).toMatchObject([
    { id, offer: { state: 'sent', offerId: sent?.offerId } },
  ]);
  const again = await visitor.call(claimLoader, `/rewards/${id}/claim`, { params: { id } });
  expect(again.location).toBe('/rewardProgress');
});

test('A claim warns of a hold on the bot that gives the item, and not of one on the viewer who gives nothing', async () => {
  const id = await promise();
  const holdDays = async (ourDays: number, theirDays: number) => {
    bot.readiness = { tokenValid: true, ourDays, theirDays };
    return (await visitor.call(claimLoader, `/rewards/${id}/claim`, { params: { id } })).body.offer.holdDays;
  };
  expect(await holdDays(0, 15)).toBe(0);
  expect(await holdDays(15, 0)).toBe(15);
  // The bot that holds the item is asked, not another one.
  const [holder] = await db.read
    .select({ botId: items.botId })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.id, id));
  expect(new URL(bot.asked.at(-1) ?? '', bot.url).searchParams.get('botId')).toBe(holder?.botId);
  bot.readiness = null;
});

test("Nobody can claim or see another viewer's reward", async () => {
  const id = await promise();
  const stranger = await visitorOf((await addPerson(db)).userId);
  const owner = await visitorOf(streamer.userId);
  for (const who of [stranger, owner])
    for (const each of [id, newId(Date.now()), 'no-id', '%00']) {
      expect((await who.call(claimLoader, '/x', { params: { id: each } })).status).toBe(404);
      expect((await claim(each, who)).status).toBe(404);
    }
  expect(await claims()).toEqual([]);
});

test('A claim without a trade link, or after its window, says why', async () => {
  const unready = await addPerson(db, { tradeToken: null });
  const id = await promise(Date.now(), unready);
  const answer = await claim(id, await visitorOf(unready.userId));
  expect(answer).toMatchObject({ status: 409, body: { error: 'errors.tradeLink.missing' } });

  const late = await lateReward();
  expect(await claim(late)).toMatchObject({ status: 409, body: { error: 'errors.reward.timedOut' } });
  const page = await visitor.call(claimLoader, '/x', { params: { id: late } });
  expect(page.body.error).toBe('errors.reward.timedOut');
  const { body } = await visitor.call(progressLoader, '/rewardProgress');
  expect(body.found.ready).toEqual([]);
});

async function lateReward(): Promise<string> {
  const { listMyRewards } = await import('#domain/view/list-my-rewards.ts');
  const nowMs = Date.now() - 4 * day;
  await addRule(db, streamer, { rewards: 1, nowMs: nowMs - hour, watchMinutes: 30 });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, nowMs);
  const { rows } = await listMyRewards(db, { userId: viewer.userId, states: ['promised'] });
  return rows[0]?.id ?? '';
}

test('Transfers can be filtered by the URL, and an invalid filter is ignored', async () => {
  await claim(await promise());
  const all = await visitor.call(transfersLoader, '/transfers?kind=nonsense&phase=constructor&after=x');
  expect(all.body.page.rows).toMatchObject([{ kind: 'claim', state: 'queued', own: true }]);
  const done = await visitor.call(transfersLoader, '/transfers?phase=done');
  expect(done.body.page.rows).toEqual([]);
});

test('Only the transfer that is open is sent whole: the one asked for, else the newest under way, and none once closed', async () => {
  await claim(await promise());
  await claim(await promise());
  const [newer, older] = await claims();
  const open = async (query: string) => (await visitor.call(transfersLoader, `/transfers${query}`)).body.page;
  expect(await open('')).toMatchObject({ opened: { id: newer?.id }, asked: false });
  const found = await open(`?open=${older?.id}`);
  expect(found).toMatchObject({ opened: { id: older?.id, steps: [{ event: 'requested' }] }, asked: true });
  for (const row of found.rows) {
    expect(row).not.toHaveProperty('steps');
    expect(row).not.toHaveProperty('securityCode');
  }
  expect(await open('?open=')).toMatchObject({ opened: null, asked: false });
  expect(await open('?open=unknown')).toMatchObject({ opened: { id: newer?.id }, asked: false });
});

test('A transfer can be cancelled by its recipient, immediately while it is queued; repeating has no effect', async () => {
  await claim(await promise());
  const [transfer] = await claims();
  const params = { id: transfer?.id ?? '' };
  const cancel = (who: Visitor, id = params.id) => who.call(cancelAction, '/x', { params: { id }, form: {} });
  const [stranger, owner] = [await visitorOf((await addPerson(db)).userId), await visitorOf(streamer.userId)];
  for (const who of [stranger, owner]) {
    expect((await who.call(cancelLoader, '/x', { params })).status).toBe(404);
    expect((await cancel(who)).status).toBe(404);
  }
  expect((await cancel(visitor, 'no-id')).status).toBe(404);
  expect((await visitor.call(cancelLoader, '/x', { params })).body.items).toMatchObject([
    { name: 'Demo case' },
  ]);
  expect(await cancel(visitor)).toMatchObject({ toast: 'transfers.cancel.done' });
  expect(await cancel(visitor)).toMatchObject({ toast: 'transfers.cancel.done' });
  expect(await claims()).toMatchObject([{ state: 'cancelled' }]);
});

test('Cancelling a sent offer asks the bot to cancel it on Steam', async () => {
  await claim(await promise());
  await sendQueued(db, Date.now());
  const [transfer] = await claims();
  const params = { id: transfer?.id ?? '' };
  const answer = await visitor.call(cancelAction, '/x', { params, form: {} });
  expect(answer.toast).toBe('transfers.cancel.asked');
  expect(await claims()).toMatchObject([{ state: 'sent', cancelWanted: true }]);
});

test('A visitor is redirected to sign-up, and an unverified user to verification', async () => {
  const { Visitor: Browser } = await import('../support/visitor.ts');
  expect((await new Browser().call(progressLoader, '/rewardProgress')).location).toBe('/auth/signup');
  expect((await claim('x', new Browser())).location).toBe('/auth/signup');
  const unverified = await visitorOf((await addPerson(db, { verified: false })).userId);
  expect((await unverified.call(progressLoader, '/rewardProgress')).location).toBe('/email/unverified');
});
