import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import {
  firstItemsOf,
  getTransfer,
  listTransfers,
  withAll,
  withSteps,
} from '#domain/transfer/list-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import {
  acceptOffer,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const list = (more: object = {}, person = streamer) => listTransfers(db, { userId: person.userId, ...more });

async function request(...assets: ReturnType<typeof asset>[]): Promise<string> {
  const requestId = newId(START_MS);
  const answer = await requestDeposit(
    db,
    { requestId, userId: streamer.userId, assets },
    START_MS,
    Date.now(),
  );
  expect(answer.ok).toBe(true);
  return requestId;
}

test('A transfer is listed with its bot and its items by kind, and shown with its steps in order', async () => {
  const transferId = await deposit(db, streamer, [asset('Demo a'), asset('Demo a'), asset('Demo b')]);
  const profileName = 'Keepsake delivers';
  await db.transaction((tx) => tx.update(bots).set({ profileName }).where(eq(bots.id, botId)));
  const { rows } = await list();
  expect(rows).toMatchObject([
    {
      id: transferId,
      kind: 'deposit',
      state: 'accepted',
      own: true,
      ruleName: null,
      acceptedAtMs: START_MS,
      bot: { name: botId, profileName, firstSeenAtMs: START_MS, level: null },
    },
  ]);
  expect(await withAll(db, rows)).toMatchObject([
    {
      items: [
        { marketHashName: 'Demo a', quantity: 2 },
        { marketHashName: 'Demo b', quantity: 1 },
      ],
    },
  ]);
  const states = ['queued', 'sending', 'sent', 'accepted'];
  const [stepped] = await withSteps(db, rows);
  expect(stepped?.steps.map((step) => step.state)).toEqual(states);
  const one = await getTransfer(db, { transferId, userId: streamer.userId });
  expect(one?.steps.map((step) => step.state)).toEqual(states);
  expect(rows[0]).not.toHaveProperty('steps');
  expect(rows[0]).not.toHaveProperty('items');
  expect(rows[0]?.securityCode).toMatch(/-/);
  expect(rows[0]).not.toHaveProperty('tradeToken');
});

test('A list reads of each transfer the kind whose name comes first, and how many items there are', async () => {
  const mixed = await deposit(db, streamer, [asset('Demo b'), asset('Demo c'), asset('Demo b')]);
  const alike = await deposit(db, streamer, [asset('Demo a'), asset('Demo a')]);
  const sameName = await deposit(db, streamer, [
    asset('Demo d', { appId: 730 }),
    asset('Demo d', { appId: 440 }),
    asset('Demo d', { appId: 440 }),
  ]);
  const { rows } = await list();
  const firsts = await firstItemsOf(db, rows);
  const first = (id: string) => firsts.get(id);
  expect(firsts.size).toBe(3);
  expect(first(mixed)).toMatchObject({ marketHashName: 'Demo b', quantity: 2, total: 3 });
  expect(first(alike)).toMatchObject({ marketHashName: 'Demo a', quantity: 2, total: 2 });
  expect(first(sameName)).toMatchObject({ appId: 440, quantity: 2, total: 3 });
  const whole = await withAll(db, rows);
  for (const { id, items } of whole) expect(first(id)).toMatchObject(items[0] ?? {});
  expect(await firstItemsOf(db, [])).toEqual(new Map());
});

test('Transfers can be filtered by kind and phase, page by page', async () => {
  const done = await deposit(db, streamer, [asset()]);
  const open = await request(asset());
  const ended = await request(asset());
  await cancelTransfer(db, { transferId: ended, userId: streamer.userId }, START_MS);
  const ids = async (more: object) => new Set((await list(more)).rows.map((row) => row.id));
  expect(await ids({ phase: 'open' })).toEqual(new Set([open]));
  expect(await ids({ phase: 'done' })).toEqual(new Set([done]));
  expect(await ids({ phase: 'ended' })).toEqual(new Set([ended]));
  expect(await ids({ kind: 'deposit' })).toEqual(new Set([done, open, ended]));
  expect(await ids({ kind: 'claim' })).toEqual(new Set());
  const first = await list({ size: 2 });
  const second = await list({ size: 2, after: first.next });
  expect(second.next).toBeNull();
  const seen = [...first.rows, ...second.rows].map((row) => row.id);
  expect(seen).toHaveLength(3);
  expect(new Set(seen)).toEqual(new Set([done, open, ended]));
});

test("A claim belongs to its viewer; the rule's owner sees it without the code; nobody else does", async () => {
  await addRule(db, streamer, { name: 'Demo hours', rewards: 1 });
  const viewer = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [reward] = (await listMyRewards(db, { userId: viewer.userId, states: ['promised'] })).rows;
  await claimReward(db, { rewardId: reward!.id, userId: viewer.userId }, START_MS + hour);
  const [sent] = await sendQueued(db, START_MS + hour);

  const [asViewer] = (await list({}, viewer)).rows;
  expect(asViewer).toMatchObject({ id: sent?.id, kind: 'claim', own: true, ruleName: 'Demo hours' });
  expect(asViewer?.securityCode).toMatch(/-/);
  const [asOwner] = (await list({ kind: 'claim' })).rows;
  expect(asOwner).toMatchObject({ id: sent?.id, own: false, securityCode: null });
  // Others know a viewer by the Twitch name alone.
  expect(asViewer?.userName).toMatch(/^Demo person/);
  expect(asOwner?.userName).toMatch(/^Demo_Person/);
  const stranger = await addStreamer(db);
  expect((await list({}, stranger)).rows).toEqual([]);
  expect(await getTransfer(db, { transferId: sent!.id, userId: stranger.userId })).toBeNull();
  expect(await getTransfer(db, { transferId: sent!.id, userId: viewer.userId })).toMatchObject({
    own: true,
  });
});

test('The steps of a transfer are shown oldest first', async () => {
  const requestId = newId(START_MS);
  const assets = [asset()];
  await requestDeposit(db, { requestId, userId: streamer.userId, assets }, START_MS, Date.now());
  await sendQueued(db, START_MS + minute);
  await acceptOffer(db, requestId, assets, START_MS + 2 * minute);
  const shown = await getTransfer(db, { transferId: requestId, userId: streamer.userId });
  expect(shown?.steps.map(({ state, atMs }) => [state, (atMs - START_MS) / minute])).toEqual([
    ['queued', 0],
    ['sending', 1],
    ['sent', 1],
    ['accepted', 2],
  ]);
});
