import { and, eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { emailTokens, users } from '#db/schema/user.ts';
import { disownAccess, isDisownSettled } from '#domain/account/disown-access.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { endFreeze } from '#domain/freeze/end-freeze.ts';
import { withdrawFrozen } from '#domain/freeze/frozen-transfers.ts';
import { listFrozenRules } from '#domain/freeze/list-frozen-rules.ts';
import { issueEmailToken } from '#domain/identity/email/issue-email-token.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { nextPromiseEndMs } from '#domain/reward/next-promise-end.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listTransfersToCancel, listTransfersToConfirm } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';
import {
  acceptOffer,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  draft,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { disown, endFreezeOf } from '#tests/support/freezing.ts';
import { assetsIn, itemsOf, rewardsOf, stepsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const WINDOW_MS = 72 * hour;
const FREEZE_MS = START_MS + hour;

let viewer: Person;
let next: Person;
let ruleId: string;
let rewardId: string;
/** One reward, promised to the first of two viewers who met the rule. */
beforeEach(async () => {
  viewer = await addPerson(db);
  next = await addPerson(db);
  const made = await promiseTo(db, streamer, [viewer, next], { rewards: 1 });
  ruleId = made.ruleId;
  const promised = made.rewards.find(({ twitchId }) => twitchId !== null);
  rewardId = promised!.id;
  if (promised!.userId !== viewer.userId) [viewer, next] = [next, viewer];
  await recordHeartbeat(db, botId, { systemMs: Date.now(), nowMs: START_MS });
});

const freeze = (actAtMs = START_MS, nowMs = FREEZE_MS) => disown(db, streamer, actAtMs, nowMs);
const end = (nowMs: number, choice: 'goOn' | 'takeBack' = 'goOn') => endFreezeOf(db, streamer, choice, nowMs);
const reward = async () => (await rewardsOf(db, ruleId)).find(({ id }) => id === rewardId)!;
const claim = (nowMs = START_MS) => claimReward(db, { rewardId, userId: viewer.userId }, nowMs);
const frozenIds = async () => (await listFrozenRules(db.read, streamer)).map(({ id }) => id);
const latestTransfer = async () =>
  (await getMyReward(db, { rewardId, userId: viewer.userId }))!.offer!.transferId;
const look = async (nowMs: number) => {
  await withdrawFrozen(db, { botId }, nowMs);
  return (await listTransfersToCancel(db.read, { botId }, nowMs)).map(({ id }) => id);
};

describe('What is frozen', () => {
  test('Rules opened or given rewards since the act, also closed ones, and no others', async () => {
    await deposit(db, streamer, [asset('Demo knife'), asset('Demo knife')], START_MS - 8 * day);
    const kinds = [{ appId: 730, marketHashName: 'Demo knife', quantity: 1 }];
    const attach = (id: string, nowMs: number) =>
      attachRewards(db, { ruleId: id, userId: streamer.userId, kinds }, nowMs);
    const actMs = START_MS + 2 * hour;
    const old = await addRule(db, streamer, { rewards: 0 });
    await attach(old, actMs - 1);
    const added = await addRule(db, streamer, { rewards: 0 });
    await attach(added, actMs);
    const opened = await addRule(db, streamer, { rewards: 1, nowMs: actMs + 1 });
    const closed = await addRule(db, streamer, { rewards: 1, nowMs: actMs + 2 });
    await closeRule(db, { ruleId: closed, userId: streamer.userId }, actMs + 3);
    const other = await addStreamer(db);
    await addRule(db, other, { rewards: 1, nowMs: actMs + 1 });
    expect(await disown(db, streamer, actMs, actMs + hour)).toMatchObject({ frozenRules: 3 });
    expect(await frozenIds()).toEqual([added, opened, closed]);
    expect(await listFrozenRules(db.read, other)).toEqual([]);
    expect(await findFreeze(db.read, streamer)).toEqual({ frozenAtMs: actMs + hour, actAtMs: actMs });
    expect(await findFreeze(db.read, other)).toBeNull();
  });

  test('A second link freezes what is older too, and moves no beginning', async () => {
    const late = await addRule(db, streamer, { rewards: 1, nowMs: START_MS + 2 * hour });
    await freeze(START_MS + 2 * hour, START_MS + 3 * hour);
    expect(await frozenIds()).toEqual([late]);
    expect(await freeze(START_MS, START_MS + 4 * hour)).toMatchObject({ frozenRules: 2 });
    const found = await db.read.select().from(rules).where(eq(rules.ownerId, streamer.userId));
    expect(Object.fromEntries(found.map(({ id, frozenAtMs }) => [id, frozenAtMs]))).toEqual({
      [ruleId]: START_MS + 4 * hour,
      [late]: START_MS + 3 * hour,
    });
    expect(await findFreeze(db.read, streamer)).toEqual({
      frozenAtMs: START_MS + 3 * hour,
      actAtMs: START_MS,
    });
  });
});

describe('Of a frozen rule', () => {
  test('nothing is claimed or promised, and no window runs out; afterwards both go on', async () => {
    await freeze();
    expect(await claim(FREEZE_MS)).toEqual({ ok: false, code: 'claimFrozen' });
    expect(await nextPromiseEndMs(db.read, FREEZE_MS)).toBeNull();
    const lateMs = START_MS + WINDOW_MS + 5 * day;
    expect(await expirePromises(db, lateMs, Date.now())).toBe(0);
    expect(await claim(lateMs)).toEqual({ ok: false, code: 'claimFrozen' });
    expect(await end(lateMs)).toEqual({ ok: true, ended: true });
    const leftMs = WINDOW_MS - hour;
    expect(await reward()).toMatchObject({
      state: 'promised',
      claimUntilMs: lateMs + leftMs,
      claimShiftedMs: lateMs - FREEZE_MS,
    });
    expect(await nextPromiseEndMs(db.read, lateMs)).toBe(leftMs);
    expect(await expirePromises(db, lateMs + leftMs - 1, Date.now())).toBe(0);
    expect(await claim(lateMs + leftMs - 1)).toMatchObject({ ok: true });
  });

  test('a free reward waits, and is promised once the rule goes on', async () => {
    await watchFor(db, streamer.twitchId, [[next.twitchId, 10 * 60]]);
    await freeze();
    await deposit(db, streamer, [asset()], START_MS - 8 * day);
    const [spare] = (await itemsOf(db, streamer.userId)).filter(({ id }) => id).slice(-1);
    await db.transaction((tx) =>
      tx.insert(rewards).values({
        id: newId(FREEZE_MS),
        ruleId,
        ownerId: streamer.userId,
        channelId: streamer.twitchId,
        itemId: spare!.id,
        position: 'z',
        createdAtMs: FREEZE_MS,
      }),
    );
    await evaluateChannel(db, streamer.twitchId, FREEZE_MS + minute);
    const promisedTo = async () => (await rewardsOf(db, ruleId)).map(({ userId }) => userId);
    expect(await promisedTo()).not.toContain(next.userId);
    await end(FREEZE_MS + hour);
    expect(await promisedTo()).toContain(next.userId);
  });

  test('a queued claim is neither checked nor sent, and is sent afterwards', async () => {
    await claim();
    await freeze();
    expect(await sendQueued(db, FREEZE_MS)).toEqual([]);
    expect(await look(FREEZE_MS)).toEqual([]);
    await end(FREEZE_MS + day);
    const [sent] = await sendQueued(db, FREEZE_MS + day);
    expect(await transferOf(db, sent!.id)).toMatchObject({ state: 'sent', rewardId });
  });

  test('an offer that waits for the confirmation is not confirmed but cancelled', async () => {
    await claim();
    const id = await latestTransfer();
    await reportTransfer(db, id, { event: 'started' }, START_MS);
    await reportTransfer(db, id, { event: 'created', offerId: '1' }, START_MS);
    const waiting = async () => (await listTransfersToConfirm(db.read, { botId })).map((each) => each.id);
    expect(await waiting()).toEqual([id]);
    await freeze();
    expect(await waiting()).toEqual([]);
    expect(await look(FREEZE_MS)).toEqual([id]);
    await end(FREEZE_MS + minute);
    // It was asked for: whether the freeze has ended meanwhile does not matter.
    expect(await waiting()).toEqual([]);
  });

  test('an open offer is cancelled, and its viewer may claim again afterwards, however late', async () => {
    await claim();
    await sendQueued(db, START_MS);
    const id = await latestTransfer();
    await freeze();
    expect(await look(FREEZE_MS)).toEqual([id]);
    expect(await look(FREEZE_MS + 1)).toEqual([id]);
    const lateMs = START_MS + WINDOW_MS + day;
    await reportTransfer(db, id, { event: 'cancelled' }, lateMs);
    expect(await reward()).toMatchObject({ state: 'promised', userId: viewer.userId });
    expect((await stepsOf(db, id)).at(-1)).toContain('cancelled');
    const mine = await getMyReward(db, { rewardId, userId: viewer.userId });
    expect(mine).toMatchObject({ claimFailure: null, pausedUntilMs: null, frozenAtMs: FREEZE_MS });
    const letters = await db.read.select().from(mails).where(eq(mails.template, 'claimFailed'));
    expect(letters).toEqual([]);
    await end(lateMs);
    expect(await claim(lateMs + 1)).toMatchObject({ ok: true });
  });

  test('an offer that was accepted first stands', async () => {
    await claim();
    await sendQueued(db, START_MS);
    const id = await latestTransfer();
    await freeze();
    await look(FREEZE_MS);
    expect(await acceptOffer(db, id, await assetsIn(db, id), FREEZE_MS + 1)).toBe(true);
    expect(await reward()).toMatchObject({ state: 'claimed' });
    expect(await end(FREEZE_MS + hour, 'takeBack')).toMatchObject({ ok: true });
    expect(await reward()).toMatchObject({ state: 'claimed', stopReason: null });
  });

  test('a mail that asks to claim waits', async () => {
    await freeze();
    const letter = (await db.read.select().from(mails)).find(
      ({ template, values }) => template === 'rewardPromised' && values.rewardId === rewardId,
    );
    const prepared = (nowMs: number) => prepareMail(db.read, letter!, nowMs, Date.now());
    expect(await prepared(FREEZE_MS)).toMatchObject({ due: false, reason: 'later' });
    await end(FREEZE_MS + hour);
    expect(await prepared(FREEZE_MS + hour)).toMatchObject({ due: true });
  });
});

describe('While an account is frozen', () => {
  const kinds = [{ appId: 730, marketHashName: 'Demo knife', quantity: 1 }];
  beforeEach(async () => {
    await deposit(db, streamer, [asset('Demo knife'), asset('Demo knife')], START_MS - 8 * day);
  });
  const knives = async () =>
    (await itemsOf(db, streamer.userId)).filter(({ marketHashName }) => marketHashName === 'Demo knife');
  const giveBack = async (nowMs: number, requestId = newId(nowMs)) =>
    returnItems(db, { requestId, userId: streamer.userId, itemIds: [(await knives())[0]!.id] }, nowMs);

  test('no rule is opened, no reward added and no item returned; afterwards they are', async () => {
    await freeze();
    const open = (nowMs: number) =>
      createRule(db, { requestId: newId(nowMs), userId: streamer.userId, draft: draft() }, nowMs);
    const attach = (nowMs: number) => attachRewards(db, { ruleId, userId: streamer.userId, kinds }, nowMs);
    const refused = { ok: false, code: 'accountFrozen' };
    expect(await open(FREEZE_MS)).toEqual(refused);
    expect(await attach(FREEZE_MS)).toEqual(refused);
    expect(await giveBack(FREEZE_MS)).toEqual(refused);
    await end(FREEZE_MS + hour);
    for (const act of [open, giveBack, attach])
      expect(await act(FREEZE_MS + 2 * hour)).toMatchObject({ ok: true });
  });

  test('a return that is queued waits, and one on Steam is cancelled', async () => {
    const [queued, sent] = [newId(START_MS), newId(START_MS + 1)];
    await giveBack(START_MS, sent);
    await sendQueued(db, START_MS);
    const second = { requestId: queued, userId: streamer.userId, itemIds: [(await knives())[1]!.id] };
    await returnItems(db, second, START_MS);
    await freeze();
    expect(await sendQueued(db, FREEZE_MS)).toEqual([]);
    expect(await look(FREEZE_MS)).toEqual([sent]);
    await reportTransfer(db, sent, { event: 'cancelled' }, FREEZE_MS);
    await end(FREEZE_MS + hour);
    expect((await sendQueued(db, FREEZE_MS + hour)).map(({ id }) => id)).toEqual([queued]);
  });

  test('another streamer’s rules and returns go on', async () => {
    const other = await addStreamer(db);
    await deposit(db, other, [asset('Demo sticker')], START_MS - 8 * day);
    await freeze();
    const [item] = await itemsOf(db, other.userId);
    const request = { requestId: newId(FREEZE_MS), userId: other.userId, itemIds: [item!.id] };
    expect(await returnItems(db, request, FREEZE_MS)).toMatchObject({ ok: true });
    expect((await sendQueued(db, FREEZE_MS)).map(({ id }) => id)).toEqual([request.requestId]);
  });
});

describe('A freeze ends', () => {
  test('only with a proof, and a choice for each frozen rule', async () => {
    await freeze();
    const choices = { [ruleId]: 'goOn' } as const;
    const asked = { userId: streamer.userId, choices };
    expect(await endFreeze(db, { ...asked, unconfirmed: true }, FREEZE_MS)).toEqual({
      ok: false,
      code: 'identityUnconfirmed',
    });
    expect(await endFreeze(db, { ...asked, choices: {} }, FREEZE_MS)).toEqual({
      ok: false,
      code: 'choiceMissing',
    });
    expect(await frozenIds()).toEqual([ruleId]);
    expect(await endFreeze(db, asked, FREEZE_MS)).toEqual({ ok: true, ended: true });
    expect(await endFreeze(db, asked, FREEZE_MS)).toEqual({ ok: true, ended: false });
  });

  test('with a mail, whose link freezes the same rules again', async () => {
    const actMs = START_MS;
    await freeze(actMs);
    await end(FREEZE_MS + hour);
    const isIt = and(eq(emailTokens.userId, streamer.userId), eq(emailTokens.purpose, 'disown'));
    const links = await db.read.select().from(emailTokens).where(isIt);
    expect(links.filter(({ usedAtMs }) => usedAtMs === null)).toMatchObject([{ actAtMs: actMs }]);
    const [owner] = await db.read.select().from(users).where(eq(users.id, streamer.userId));
    expect(owner).toMatchObject({ frozenAtMs: null, disownedFromMs: null });
    expect(await freeze(actMs, FREEZE_MS + 2 * hour)).toMatchObject({ frozenRules: 1 });
  });

  test('and links mailed before do nothing any more, except those to another address', async () => {
    const [owner] = await db.read.select().from(users).where(eq(users.id, streamer.userId));
    const mail = (email: string, nowMs: number) => {
      const link = { userId: streamer.userId, email, purpose: 'disown', actAtMs: START_MS } as const;
      return db.transaction((tx) => issueEmailToken(tx, link, nowMs));
    };
    const sent = [await mail(owner!.email, START_MS), await mail(owner!.email, FREEZE_MS + minute)];
    const toEarlierAddress = await mail('earlier@example.org', START_MS);
    await freeze();
    const isSettled = (token: string) => isDisownSettled(db.read, { token }, FREEZE_MS + day);
    expect(await Promise.all(sent.map(isSettled))).toEqual([false, false]);
    await end(FREEZE_MS + hour);
    for (const token of sent) {
      expect(await isSettled(token)).toBe(true);
      expect(await disownAccess(db, { token }, FREEZE_MS + day)).toMatchObject({ ok: false });
    }
    expect(await frozenIds()).toEqual([]);
    // A thief who took the account over may have changed its address, and ended the freeze themselves.
    expect(await disownAccess(db, { token: toEarlierAddress }, FREEZE_MS + day)).toMatchObject({
      frozenRules: 1,
    });
    expect(await isSettled(toEarlierAddress)).toBe(true);
  });

  test('and what is taken back is deleted: claims are stopped, and items are the streamer’s again', async () => {
    await claim();
    await freeze();
    expect(await end(FREEZE_MS + hour, 'takeBack')).toEqual({ ok: true, ended: true });
    expect(await reward()).toMatchObject({
      state: 'recalled',
      recallReason: 'stopped',
      stopReason: 'accountStolen',
    });
    const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
    expect(rule).toMatchObject({ state: 'closed', frozenAtMs: null });
    expect(await itemsOf(db, streamer.userId)).toMatchObject([{ state: 'held' }]);
    expect(await sendQueued(db, FREEZE_MS + hour)).toEqual([]);
  });

  test('and a promise made while the clock was set back gets only what passed since', async () => {
    await freeze();
    const promisedAtMs = FREEZE_MS + hour;
    await db.transaction((tx) => tx.update(rewards).set({ promisedAtMs }).where(eq(rewards.id, rewardId)));
    await end(FREEZE_MS + 3 * hour);
    expect(await reward()).toMatchObject({
      claimUntilMs: START_MS + WINDOW_MS + 2 * hour,
      claimShiftedMs: 2 * hour,
    });
  });
});
