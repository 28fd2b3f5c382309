import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { qualifications, rules, watchBaselines } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { CHECKS_APART_MS } from '#domain/channel/absence.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { addPerson, addRule, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let channelId: string;
beforeEach(async () => {
  channelId = streamer.twitchId;
});

const watch = (person: { twitchId: string }, minutes: number) =>
  watchFor(db, channelId, [[person.twitchId, minutes * 60]]);
const sweep = (nowMs = START_MS) => evaluateChannel(db, channelId, nowMs);
const evaluate = (person: { twitchId: string }, nowMs = START_MS) =>
  db.transaction((tx) => evaluateViewer(tx, person, nowMs));
const follow = (person: { twitchId: string }, followedAtMs: number) =>
  recordFollows(db, {
    channelId,
    followers: [{ twitchId: person.twitchId, followedAtMs }],
    complete: false,
  });
const change = (userId: string, facts: Partial<typeof users.$inferInsert>) =>
  db.transaction(async (tx) => {
    await tx.update(users).set(facts).where(eq(users.id, userId));
  });
const waitingOn = async (ruleId: string) => {
  const rows = await db.read.select().from(qualifications).where(eq(qualifications.ruleId, ruleId));
  return rows.map(({ twitchId }) => twitchId).sort();
};

describe('Watch time', () => {
  test('counts from the rule’s start by default: earlier watch time is the baseline', async () => {
    const [before, newcomer] = [await addPerson(db), await addPerson(db)];
    await watch(before, 50);
    const ruleId = await addRule(db, streamer, { watchMinutes: 60, rewards: 0 });
    expect(
      await db.read.select().from(watchBaselines).where(eq(watchBaselines.ruleId, ruleId)),
    ).toMatchObject([{ twitchId: before.twitchId, seconds: 3000 }]);
    await watch(before, 59);
    await watch(newcomer, 60);
    expect(await sweep()).toBe(1);
    expect(await waitingOn(ruleId)).toEqual([newcomer.twitchId]);
    await watch(before, 1);
    expect(await sweep()).toBe(1);
  });

  test('of all time is met at once by viewers who watched enough before', async () => {
    const viewer = await addPerson(db);
    await watch(viewer, 60);
    const ruleId = await addRule(db, streamer, {
      watchMinutes: 60,
      watchScope: 'allTime',
      rewards: 0,
    });
    expect(await waitingOn(ruleId)).toEqual([viewer.twitchId]);
    expect(await db.read.select().from(watchBaselines)).toEqual([]);
  });

  test('of each rule has its own start', async () => {
    const viewer = await addPerson(db);
    const early = await addRule(db, streamer, { watchMinutes: 60, rewards: 0 });
    await watch(viewer, 30);
    const late = await addRule(db, streamer, { watchMinutes: 60, rewards: 0 });
    await watch(viewer, 30);
    await sweep();
    expect([await waitingOn(early), await waitingOn(late)]).toEqual([[viewer.twitchId], []]);
  });
});

describe('Follow time', () => {
  test('is met on the day, and by nobody without a known follow', async () => {
    const [viewer, stranger] = [await addPerson(db), await addPerson(db)];
    const ruleId = await addRule(db, streamer, { watchMinutes: null, followDays: 7, rewards: 0 });
    await follow(viewer, START_MS);
    await watch(stranger, 600);
    expect(await sweep(START_MS + 7 * day - 1)).toBe(0);
    expect(await sweep(START_MS + 7 * day)).toBe(1);
    expect(await waitingOn(ruleId)).toEqual([viewer.twitchId]);
  });

  test('is met at once by viewers who follow long enough when the rule is created', async () => {
    const viewer = await addPerson(db);
    await follow(viewer, START_MS - 30 * day);
    const ruleId = await addRule(db, streamer, { watchMinutes: null, followDays: 30, rewards: 0 });
    expect(await waitingOn(ruleId)).toEqual([viewer.twitchId]);
  });

  test('and watch time must be met together', async () => {
    const [both, follows, watches] = [await addPerson(db), await addPerson(db), await addPerson(db)];
    const ruleId = await addRule(db, streamer, { watchMinutes: 10, followDays: 1, rewards: 0 });
    await follow(both, START_MS - day);
    await follow(follows, START_MS - day);
    await watch(both, 10);
    await watch(follows, 9);
    await watch(watches, 100);
    await sweep();
    expect(await waitingOn(ruleId)).toEqual([both.twitchId]);
  });

  test('ends with the follow: a complete list deletes missing follows, a partial one does not', async () => {
    const [stays, leaves] = [await addPerson(db), await addPerson(db)];
    const followers = [stays, leaves].map(({ twitchId }) => ({ twitchId, followedAtMs: START_MS - day }));
    await recordFollows(db, {
      channelId,
      followers: [...followers, ...followers],
      complete: true,
      readAtMs: START_MS,
    });
    await recordFollows(db, { channelId, followers: followers.slice(0, 1), complete: false });
    for (const readAtMs of [START_MS + 1, START_MS + 1 + CHECKS_APART_MS])
      await recordFollows(db, { channelId, followers: followers.slice(0, 1), complete: true, readAtMs });
    const ruleId = await addRule(db, streamer, { watchMinutes: null, followDays: 1, rewards: 0 });
    expect(await waitingOn(ruleId)).toEqual([stays.twitchId]);
  });
});

describe('Never promised anything are', () => {
  test('the broadcaster on the own channel, whoever owns the rule', async () => {
    const owner = await addPerson(db);
    const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
    await db.transaction(async (tx) => {
      await tx.update(rules).set({ ownerId: owner.userId }).where(eq(rules.id, ruleId));
    });
    await watch(streamer, 100);
    await watch(owner, 100);
    expect(await sweep()).toBe(0);
    expect(await evaluate(streamer)).toBe(0);
    expect(await evaluate(owner)).toBe(0);
  });

  test('the owner who took over a waiting viewer’s Twitch account', async () => {
    const owner = await addPerson(db);
    const viewer = await addPerson(db);
    const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
    await watch(viewer, 10);
    await sweep();
    await db.transaction(async (tx) => {
      await tx.update(rules).set({ ownerId: owner.userId }).where(eq(rules.id, ruleId));
      await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, owner.userId));
      await tx
        .update(twitchAccounts)
        .set({ userId: owner.userId })
        .where(eq(twitchAccounts.twitchId, viewer.twitchId));
    });
    await deposit(db, owner, [asset()], START_MS - 8 * day);
    const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
    await attachRewards(db, { ruleId, userId: owner.userId, kinds }, START_MS);
    expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['free']);
  });
});

describe('An unregistered viewer', () => {
  test('keeps accruing, and on registering gets what is left', async () => {
    const viewer = await addPerson(db);
    const ruleId = await addRule(db, streamer, { watchMinutes: 10 });
    const [account] = await db.read
      .select()
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, viewer.twitchId));
    await db.transaction(async (tx) => {
      await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, viewer.twitchId));
    });
    await watch(viewer, 10);
    expect(await sweep()).toBe(0);
    await db.transaction(async (tx) => {
      await tx.insert(twitchAccounts).values(account!);
    });
    expect(await evaluate(viewer, START_MS + hour)).toBe(1);
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'promised', userId: viewer.userId, claimUntilMs: START_MS + 73 * hour },
    ]);
    expect(await evaluate(viewer, START_MS + 2 * hour)).toBe(0);
  });

  test('or an unverified one is not waiting yet, and qualifies on verifying', async () => {
    const viewer = await addPerson(db, { verified: false });
    const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
    await watch(viewer, 10);
    expect(await sweep()).toBe(0);
    await change(viewer.userId, { emailVerifiedAtMs: START_MS + minute });
    expect(await evaluate(viewer, START_MS + minute)).toBe(1);
    const [row] = await db.read.select().from(qualifications).where(eq(qualifications.ruleId, ruleId));
    expect(row?.qualifiedAtMs).toBe(START_MS + minute);
  });

  test('is evaluated on every channel when registering, and nobody else is', async () => {
    const other = await addStreamer(db);
    const [viewer, bystander] = [await addPerson(db), await addPerson(db)];
    await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
    await addRule(db, other, { watchMinutes: 10, rewards: 0 });
    for (const channel of [channelId, other.twitchId])
      await watchFor(db, channel, [
        [viewer.twitchId, 600],
        [bystander.twitchId, 600],
      ]);
    expect(await evaluate(viewer)).toBe(2);
    expect(await sweep()).toBe(1);
  });
});
