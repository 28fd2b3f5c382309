import { createHmac } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { is, isPostgres } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { events, mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { nextWaiting } from '#domain/draw/waiting-list.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addPerson, addRule, asset, deposit, type Person, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf, rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const people = (amount: number) => Promise.all(Array.from({ length: amount }, () => addPerson(db)));
/** These viewers meet the rule together, at this time. */
async function meet(viewers: Person[], nowMs: number) {
  await watchFor(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, nowMs);
}
async function attach(ruleId: string, quantity: number, nowMs: number) {
  const assets = Array.from({ length: quantity }, () => asset());
  await deposit(db, streamer, assets, nowMs - 8 * day);
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity }];
  return attachRewards(db, { ruleId, userId: streamer.userId, kinds }, nowMs);
}
const promisedTo = async (ruleId: string) =>
  (await rewardsOf(db, ruleId)).map(({ userId }) => userId).filter(Boolean);

test('The first to qualify is served first, whenever rewards are added', async () => {
  const [first, second, third] = await people(3);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
  await meet([third!], START_MS);
  await meet([first!], START_MS + minute);
  await meet([second!], START_MS + 2 * minute);
  await attach(ruleId, 2, START_MS + hour);
  expect(await promisedTo(ruleId)).toEqual([third!.userId, first!.userId]);
  await attach(ruleId, 2, START_MS + 2 * hour);
  expect(await promisedTo(ruleId)).toEqual([third!.userId, first!.userId, second!.userId]);
});

test('Viewers who qualify at the same time are ordered by the HMAC of their Twitch ids with the rule’s seed', async () => {
  const viewers = await people(5);
  const { ruleId } = await promiseTo(db, streamer, viewers, { rewards: 3 });
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  const tie = (viewer: Person) => createHmac('sha256', rule!.seed).update(viewer.twitchId).digest('hex');
  const order = [...viewers].sort((a, b) => (tie(a) < tie(b) ? -1 : 1));
  expect(await promisedTo(ruleId)).toEqual(order.slice(0, 3).map(({ userId }) => userId));
});

test('A promise notifies the viewer by mail, and the pages of viewer and streamer', async () => {
  const [viewer] = await people(1);
  const { rewards: promised } = await promiseTo(db, streamer, [viewer!]);
  const sent = await db.read.select().from(mails).where(eq(mails.template, 'rewardPromised'));
  expect(sent).toMatchObject([
    {
      template: 'rewardPromised',
      values: { item: 'Demo case', rule: 'Demo rule', claimUntilMs: String(START_MS + 72 * hour) },
    },
  ]);
  const changes = await db.read.select().from(events).where(eq(events.subjectId, promised[0]!.id));
  expect(changes.map(({ userId }) => userId).sort()).toEqual([streamer.userId, viewer!.userId].sort());
});

test('A viewer is promised at most one reward of a rule, ever', async () => {
  const [viewer] = await people(1);
  const { ruleId } = await promiseTo(db, streamer, [viewer!], { rewards: 3 });
  const lateMs = START_MS + 73 * hour;
  expect(await expirePromises(db, lateMs, Date.now())).toBe(1);
  await watchFor(db, streamer.twitchId, [[viewer!.twitchId, 6000]]);
  await evaluateChannel(db, streamer.twitchId, lateMs);
  const states = (await rewardsOf(db, ruleId)).map(({ state }) => state).sort();
  expect(states).toEqual(['free', 'free', 'free', 'recalled']);
  const second = db.transaction(async (tx) => {
    const taken = { state: 'promised', twitchId: viewer!.twitchId } as const;
    await tx.update(rewards).set(taken).where(is(rewards.state, 'free'));
  });
  await expect(second).rejects.toThrow();
});

test('Nothing is promised while its item is locked or missing; the next sweep afterwards does', async () => {
  const [one, two] = await people(2);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 2 });
  const [locked, missing] = await itemsOf(db, streamer.userId);
  const put = (id: string, facts: Partial<typeof items.$inferInsert>) =>
    db.transaction(async (tx) => {
      await tx.update(items).set(facts).where(eq(items.id, id));
    });
  await put(locked!.id, { lockedUntilMs: START_MS + hour });
  await put(missing!.id, { state: 'missing' });
  await meet([one!, two!], START_MS);
  expect(await promisedTo(ruleId)).toEqual([]);
  await evaluateChannel(db, streamer.twitchId, START_MS + hour);
  expect(await promisedTo(ruleId)).toHaveLength(1);
  await put(missing!.id, { state: 'held' });
  await evaluateChannel(db, streamer.twitchId, START_MS + hour);
  expect(await promisedTo(ruleId)).toHaveLength(2);
});

test.skipIf(isPostgres)(
  'More than one round of promises is made in one call (many rows: on SQLite only)',
  async () => {
    const AMOUNT = 505;
    const viewers = await people(AMOUNT);
    const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 1 });
    const [first] = await itemsOf(db, streamer.userId);
    const [reward] = await rewardsOf(db, ruleId);
    await db.transaction(async (tx) => {
      for (let n = 1; n < AMOUNT; n++) {
        const id = `copy-${String(n).padStart(4, '0')}`;
        await tx.insert(items).values({ ...first!, id, assetId: id });
        await tx.insert(rewards).values({ ...reward!, id, position: id, itemId: id });
      }
    });
    await meet(viewers, START_MS);
    expect(new Set(await promisedTo(ruleId)).size).toBe(AMOUNT);
  },
);

test('Who qualified before their Twitch account was the rule owner’s is passed over', async () => {
  const [heir, next] = await people(2);
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
  for (const [nth, viewer] of [heir!, next!].entries()) await meet([viewer], START_MS + nth * minute);
  const relink = async (from: Person, to: string) =>
    db.transaction(async (tx) => {
      await tx.update(twitchAccounts).set({ userId: to }).where(eq(twitchAccounts.twitchId, from.twitchId));
    });
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, streamer.twitchId));
  });
  await relink(heir!, streamer.userId);
  await attach(ruleId, 1, START_MS + hour);
  expect(await promisedTo(ruleId)).toEqual([next!.userId]);
});

test('The broadcaster waits for no reward of their own channel', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
  const [guest, viewer] = await people(2);
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ ownerId: guest!.userId }).where(eq(rules.id, ruleId));
    await tx.insert(qualifications).values({
      ruleId,
      twitchId: streamer.twitchId,
      qualifiedAtMs: START_MS - 1,
      tieBreak: '0',
    });
  });
  await meet([viewer!], START_MS);
  const list = { ruleId, lineId: ruleId, ownerId: guest!.userId, channelId: streamer.twitchId, limit: 5 };
  const waiting = await db.transaction((tx) => nextWaiting(tx, list));
  expect(waiting.map(({ userId }) => userId)).toEqual([viewer!.userId]);
});

test.each([
  [11, []],
  [12, [START_MS + 6 * hour]],
])('A window of %i hours has these reminders', async (claimTimeoutHours, expected) => {
  const [viewer] = await people(1);
  await promiseTo(db, streamer, [viewer!], { claimTimeoutHours });
  const all = await db.read.select().from(mails).where(eq(mails.template, 'claimReminder'));
  expect(all.map(({ runAtMs }) => runAtMs)).toEqual(expected);
});
