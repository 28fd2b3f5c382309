import { and, eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { within } from '#db/dialect.ts';
import { mails } from '#db/schema/outbox.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour } from '#domain/kernel/time.ts';
import { listDraws } from '#domain/view/get-proof.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { readText } from '#tests/bot/twitch/chat-stage.ts';
import { botLogin, pass, until } from '#tests/bot/twitch/stage.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import {
  CLAIM_TIMEOUT_MS,
  type Condition,
  openPlay,
  type Play,
  pointsOf,
  promisedTo,
  type Revocable,
  type RuleKind,
  redeem,
  watchTwoMinutes,
  whenPointsAre,
  whenRewardIs,
} from './play.ts';
import { acceptOffer, type Somebody } from './world.ts';

const BALANCE = 50_000;
const COST = 500;

/**
 * Plays a rule with these conditions. A viewer who meets all of them is promised one reward and receives it.
 * One who misses one sees which, and gets a promise once they have met it. One who has lost one by the time
 * of the claim gets nothing.
 */
export async function playRule(conditions: readonly Condition[], kind: RuleKind = {}): Promise<void> {
  const play = await openPlay(conditions, kind);
  for (const viewer of [play.loyal, ...play.losing.values()]) await isPromised(play, viewer, play.openedAtMs);
  for (const [missing, viewer] of play.without) await seesWhatIsMissing(play, missing, viewer);
  await isAnsweredInChat(play);
  await receives(play, play.loyal);
  for (const [lost, viewer] of play.losing) await claimsInVain(play, lost, viewer);
  // Meeting the follow condition evaluates everybody, so the viewer who misses watch time comes later.
  for (const [missing, viewer] of [...play.without].reverse()) await makesUpFor(play, missing, viewer);
  for (const viewer of [play.loyal, ...play.losing.values(), ...play.without.values()]) {
    expect(await promisedTo(play, viewer)).toHaveLength(1);
    const mailed = await mailsTo(play, viewer);
    expect(mailed.filter((template) => template === 'rewardPromised')).toHaveLength(1);
  }
  if (kind.type === 'random') await everyPromiseWasDrawn(play);
}

/** Once, at that time or after it; the claim window starts there. */
async function isPromised(play: Play, viewer: Somebody, sinceMs: number): Promise<void> {
  const reward = await whenRewardIs(play, viewer, 'promised');
  const promisedAtMs = reward.promisedAtMs ?? 0;
  expect(promisedAtMs).toBeGreaterThanOrEqual(sinceMs);
  expect(reward).toMatchObject({ userId: viewer.userId, claimUntilMs: promisedAtMs + CLAIM_TIMEOUT_MS });
  expect(await mailsTo(play, viewer)).toEqual(['rewardPromised', 'claimReminder']);
  if (play.conditions.includes('points'))
    expect(await pointsOf(play, viewer)).toMatchObject({
      status: 'UNFULFILLED',
      note: { state: 'open', settlement: null, rewardId: reward.id },
      balance: BALANCE - COST,
    });
}

/** The templates of a user's queued mails. */
async function mailsTo({ world }: Play, { userId }: Somebody): Promise<string[]> {
  const rows = await world.db.read
    .select({ template: mails.template })
    .from(mails)
    .innerJoin(users, eq(users.email, mails.recipient))
    .where(eq(users.id, userId));
  return rows.map(({ template }) => template);
}

/** Refunded points are missing too. */
const isMet = (missing: Condition, condition: Condition) => condition !== missing && condition !== 'points';

async function seesWhatIsMissing(play: Play, missing: Condition, viewer: Somebody): Promise<void> {
  const met = Object.fromEntries(play.conditions.map((each) => [each, isMet(missing, each)]));
  const wanted = JSON.stringify({ status: 'inProgress', met });
  await until(
    () => standingOf(play, viewer),
    (reported) => JSON.stringify(reported) === wanted,
  );
  if (play.conditions.includes('points')) {
    if (missing !== 'points') {
      const { status, note } = await whenPointsAre(play, viewer, 'refunded');
      expect({ status, ...note }).toMatchObject({
        status: 'CANCELED',
        refundReason: 'conditionsUnmet',
        rewardId: null,
      });
    }
    expect(await pointsOf(play, viewer)).toMatchObject({ balance: BALANCE });
  }
  expect(await promisedTo(play, viewer)).toEqual([]);
  expect(await mailsTo(play, viewer)).toEqual([]);
}

/** The standing and the met conditions on the viewer's progress page. */
async function standingOf({ world, ruleId }: Play, { userId }: Somebody) {
  const { rows } = await listProgress(world.db, { userId }, world.clock.now());
  const rule = rows.find((row) => row.ruleId === ruleId);
  if (!rule) return null;
  const { watch, follow, subscriber, points } = rule.progress;
  const all = Object.entries({ watch, follow, subscriber, points });
  const met = Object.fromEntries(all.flatMap(([name, asked]) => (asked ? [[name, asked.met]] : [])));
  return { status: rule.status, met };
}

/** The chat text for each condition, met and not met. */
const inChat: Record<Condition, { met: string; unmet: string }> = {
  watch: { met: '4 min of 4 min', unmet: '2 min of 4 min' },
  follow: { met: 'following 7 of 7 days', unmet: 'following 6 of 7 days' },
  subscriber: { met: 'subscribed', unmet: 'not subscribed at tier 2 or higher' },
  points: { met: 'points redeemed', unmet: '500 channel points to redeem' },
};

/** The chat also hears of rewards that were earned meanwhile. */
const isAnswerTo =
  (login: string, chatterId: string) =>
  ({ userId, text }: { userId: string; text: string }) =>
    userId === chatterId && text.startsWith(`@${login} `);

/** Only the last viewer who misses something asks in chat: the others would have to wait for the cooldown. */
async function isAnsweredInChat({ world, channelId, conditions, without }: Play): Promise<void> {
  const [asked] = [...without].slice(-1);
  if (!asked) throw new Error('nobody misses anything');
  const [missing, viewer] = asked;
  await until(
    () => world.twitch.chattersOf(channelId).map(({ login }) => login),
    (logins) => logins.includes(botLogin),
  );
  world.twitch.say(channelId, viewer.twitchId, '!progress');
  const answers = await until(
    () => world.twitch.chatLog(channelId).filter(isAnswerTo(viewer.login, world.chatterId)),
    (lines) => lines.length > 0,
  );
  const words = conditions.map((each) => inChat[each][isMet(missing, each) ? 'met' : 'unmet']);
  // Somebody who misses watch time also hears whether the chat's list has them.
  const presence =
    readText(answers[0]?.text ?? '').match(/ · In chat: yes, checked (just now|\d+ min ago)\.$/)?.[0] ?? '';
  expect(presence !== '').toBe(missing === 'watch');
  expect(answers.map(({ text }) => readText(text))).toEqual([
    `@${viewer.login} “Demo rule”: ${words.join(', ')}${presence}`,
  ]);
}

/** The viewer claims and accepts the offer; only then are the points kept. */
async function receives(play: Play, viewer: Somebody): Promise<void> {
  const { world } = play;
  const { id } = await whenRewardIs(play, viewer, 'promised');
  expect(
    await claimReward(world.db, { rewardId: id, userId: viewer.userId }, world.clock.now()),
  ).toMatchObject({ ok: true });
  const transferId = await transferFor(play, id);
  const points = play.conditions.includes('points');
  if (points)
    expect(await pointsOf(play, viewer)).toMatchObject({
      status: 'UNFULFILLED',
      note: { state: 'open', settlement: null },
    });
  await acceptOffer(world, viewer, transferId);
  await whenRewardIs(play, viewer, 'claimed');
  expect(world.steam.inventoryOf(viewer.steamId)).toHaveLength(1);
  if (!points) return;
  await whenPointsAre(play, viewer, 'fulfilled');
  expect(await pointsOf(play, viewer)).toMatchObject({ status: 'FULFILLED', balance: BALANCE - COST });
}

async function transferFor({ world }: Play, rewardId: string): Promise<string> {
  const found = await world.db.read
    .select({ id: transfers.id })
    .from(transfers)
    .where(eq(transfers.rewardId, rewardId));
  return found[0]?.id ?? '';
}

/** The ways in which each condition stops being met on Twitch. */
const lose: Record<Revocable, (play: Play, viewer: Somebody) => void> = {
  follow: ({ world, channelId }, { twitchId }) => world.twitch.unfollow(channelId, twitchId),
  subscriber: ({ world, channelId }, { twitchId }) => world.twitch.unsubscribe(channelId, twitchId),
  points: ({ world, redeemed }, { twitchId }) => {
    world.twitch.channelPoints.setStatus(redeemed.get(twitchId) ?? '', 'CANCELED');
  },
};

/**
 * The effect on the promise: the claim is withdrawn and can be repeated; without its points the promise ends.
 */
const lost: Record<Revocable, { state: string; unmetCondition?: string; recallReason?: string }> = {
  follow: { state: 'promised', unmetCondition: 'follow' },
  subscriber: { state: 'promised', unmetCondition: 'subscriber' },
  points: { state: 'recalled', recallReason: 'pointsGivenBack' },
};

async function claimsInVain(play: Play, condition: Revocable, viewer: Somebody): Promise<void> {
  const { world } = play;
  const { id } = await whenRewardIs(play, viewer, 'promised');
  lose[condition](play, viewer);
  await claimReward(world.db, { rewardId: id, userId: viewer.userId }, world.clock.now());
  const shown = await until(
    async () => {
      const states = ['promised', 'reserved', 'claimed', 'recalled'] as const;
      const { rows } = await listMyRewards(world.db, { userId: viewer.userId, states });
      const live = and(eq(transfers.rewardId, id), within(transfers.state, liveTransferStates));
      return { rows, moving: await world.db.read.$count(transfers, live) };
    },
    ({ rows, moving }) =>
      moving === 0 && rows.some((row) => row.state !== 'promised' || row.unmetCondition !== null),
  );
  expect(shown.rows).toMatchObject([{ id, ...lost[condition] }]);
  expect(world.steam.offersOf(viewer.steamId)).toEqual([]);
  if (play.conditions.includes('points')) {
    const givenBack = condition === 'points';
    expect(await pointsOf(play, viewer)).toMatchObject({
      status: givenBack ? 'CANCELED' : 'UNFULFILLED',
      balance: givenBack ? BALANCE : BALANCE - COST,
    });
  }
}

/** The ways in which each condition is finally met. */
const makeUp: Record<Condition, (play: Play, viewer: Somebody) => Promise<void>> = {
  watch: watchTwoMinutes,
  follow: ({ world, channelId }) => pass(world, channelId, hour),
  subscriber: async ({ world, channelId }, { twitchId }) => {
    world.twitch.subscribe(channelId, twitchId, '2000');
  },
  points: redeem,
};

async function makesUpFor(play: Play, missing: Condition, viewer: Somebody): Promise<void> {
  expect(await promisedTo(play, viewer)).toEqual([]);
  await makeUp[missing](play, viewer);
  if (play.conditions.includes('points') && missing !== 'points') {
    await until(
      () => standingOf(play, viewer),
      (reported) => reported?.met[missing] === true,
    );
    await redeem(play, viewer);
  }
  await isPromised(play, viewer, play.world.clock.now());
}

async function everyPromiseWasDrawn({ world, ruleId }: Play): Promise<void> {
  const promised = (await rewardsOf(world.db, ruleId)).filter(({ twitchId }) => twitchId !== null);
  const { rows } = await listDraws(world.db, { ruleId });
  expect(rows.map(({ agrees }) => agrees)).toEqual(promised.map(() => true));
  expect(new Set(rows.map(({ rewardId }) => rewardId))).toEqual(new Set(promised.map(({ id }) => id)));
}
