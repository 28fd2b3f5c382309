import { type channels, follows, subscribers, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { draws } from '#db/schema/draw.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';
import { watchBaselines } from '#db/schema/rule.ts';
import { NO_CHECK_SECONDS } from '#domain/condition/next-check.ts';
import { fingerprintOf } from '#domain/draw/fingerprint.ts';
import { commitmentOf, pickCandidate } from '#domain/draw/pick-candidate.ts';
import { day, dayOf, hour, minute } from '#domain/kernel/time.ts';
import { writePastPayments } from '#tests/benchmarks/history/billing.ts';
import {
  type Item,
  type Member,
  memberOf,
  type Reward,
  type Rule,
  type Scribe,
  type Streamer,
} from '#tests/benchmarks/history/scribe.ts';

/** People per channel, including its streamer. */
export const MEMBERS_PER_CHANNEL = 10;
const VIEWERS = 40;
/** The items of one channel's rules: claimed ones, and others that nobody took. 100 rewards in all. */
const amounts = [
  { claimed: 14, left: 3 },
  { claimed: 13, left: 3 },
  { claimed: 13, left: 4 },
] as const;
const RULE_LIFE_MS = 20 * day;
const KINDS = 5;

/** The time from a channel's first day until nothing of it is open. */
export const CHANNEL_LIFE_MS = amounts.length * RULE_LIFE_MS + 10 * day;

export interface Place {
  number: number;
  botId: string;
  /** Time at which the streamer joined. */
  fromMs: number;
  nowMs: number;
}

/**
 * A streamer's complete past: three rules one after the other, 100 rewards and as many transfers, 200 ledger entries.
 * Every second one left an item behind.
 */
export function writePastChannel(scribe: Scribe, place: Place): void {
  const { number, fromMs, nowMs } = place;
  const first = number * MEMBERS_PER_CHANNEL;
  const owner = scribe.streamer(first, fromMs, {
    followsReadAtMs: fromMs + CHANNEL_LIFE_MS,
    watchedUntilMs: fromMs + CHANNEL_LIFE_MS,
    wentOfflineAtMs: fromMs + CHANNEL_LIFE_MS,
    lastSeenAtMs: fromMs + CHANNEL_LIFE_MS,
    rolledUpToMs: dayOf(nowMs),
  } satisfies Partial<typeof channels.$inferInsert>);
  for (let each = 1; each < MEMBERS_PER_CHANNEL; each++) scribe.member(first + each, fromMs);
  const viewers = viewersOf(number);
  const left: Item[] = [];
  for (const [turn, amount] of amounts.entries()) {
    const atMs = fromMs + turn * RULE_LIFE_MS;
    const rule = writeRule(scribe, { place, owner, turn }, atMs);
    if (turn > 0) writeBaselines(scribe, rule, viewers, turn * 5 * 3600);
    left.push(...runRule(scribe, { place, owner, rule, viewers, amount }, atMs));
  }
  const saved = number % 2;
  for (let from = saved; from < left.length; from += 4)
    scribe.giveBack(owner, left.slice(from, from + 4), 'settled', fromMs + amounts.length * RULE_LIFE_MS);
  writeWatching(scribe, owner, viewers, fromMs);
  writePastPayments(scribe, owner, fromMs, nowMs);
}

/** The viewers: people who already exist. Nobody owns the channel. */
function viewersOf(number: number): Member[] {
  const end = (Math.max(number, VIEWERS / MEMBERS_PER_CHANNEL) + 1) * MEMBERS_PER_CHANNEL;
  return Array.from({ length: VIEWERS + 1 }, (_, back) => end - 1 - back)
    .filter((each) => each !== number * MEMBERS_PER_CHANNEL)
    .slice(0, VIEWERS)
    .map(memberOf);
}

function writeRule(
  scribe: Scribe,
  { place, owner, turn }: { place: Place; owner: Streamer; turn: number },
  atMs: number,
): Rule {
  const asksPoints = turn === 2 && place.number % 5 === 0;
  const rule = scribe.rule(
    owner,
    {
      name: `Demo rule ${turn + 1}`,
      type: turn === 1 && place.number % 3 === 0 ? 'random' : 'one',
      state: 'closed',
      watchMinutes: 60 * (turn + 1),
      pointsCost: asksPoints ? 500 : null,
      closedAtMs: atMs + 16 * day,
    },
    atMs,
  );
  if (asksPoints)
    scribe.add(customRewards, {
      ruleId: rule.id,
      channelId: owner.channelId,
      twitchRewardId: `past-${rule.id}`,
      state: 'deleted',
    });
  return rule;
}

interface Run {
  place: Place;
  owner: Streamer;
  rule: Rule;
  viewers: readonly Member[];
  amount: { claimed: number; left: number };
}

/**
 * Every item is promised, times out and is passed on. Most of the second rewards are claimed, one of them only on the
 * second attempt; the others stay free until the rule closes. Returns the remaining items.
 */
function runRule(scribe: Scribe, run: Run, atMs: number): Item[] {
  const { rule, viewers, amount } = run;
  const items = writeDeposits(scribe, run, atMs);
  const attachedAtMs = atMs + 8 * day;
  const free = items.map((item) => ({ item, reward: scribe.attach(rule, item, attachedAtMs) }));
  const early = viewers.slice(0, free.length);
  const late = viewers.slice(free.length, free.length + amount.claimed);
  const draw = drawsOf(scribe, rule);
  for (const [turn, viewer] of early.entries()) {
    const { reward } = takeNext(free, turn, () => draw(free.slice(turn), viewer, attachedAtMs));
    scribe.promise(rule, reward, viewer, attachedAtMs + turn * minute);
    scribe.recall(reward, 'timedOut');
    redeem(scribe, rule, reward, viewer, 'refunded');
  }
  const again = free.map(({ item }) => {
    const passedOnMs = attachedAtMs + 3 * day + hour;
    return { item, reward: scribe.attach(rule, item, passedOnMs, 'recall') };
  });
  for (const [turn, viewer] of late.entries()) {
    const promisedAtMs = attachedAtMs + 3 * day + 2 * hour + turn * minute;
    const { reward, item } = takeNext(again, turn, () => draw(again.slice(turn), viewer, promisedAtMs));
    scribe.promise(rule, reward, viewer, promisedAtMs);
    if (rule.name === 'Demo rule 1' && turn === 0)
      scribe.claim(reward, item, viewer, 'declined', promisedAtMs + hour);
    scribe.claim(reward, item, viewer, 'settled', promisedAtMs + day);
    redeem(scribe, rule, reward, viewer, 'fulfilled');
  }
  const left = again.slice(amount.claimed);
  for (const { reward } of left) scribe.recall(reward, 'ruleClosed');
  for (const viewer of viewers.slice(-3)) scribe.qualify(rule, viewer, atMs + 15 * day, null);
  return left.map(({ item }) => item);
}

/** Mostly one by one; some offers were not accepted. */
function writeDeposits(scribe: Scribe, { place, owner, amount }: Run, atMs: number): Item[] {
  const { botId, number } = place;
  const kinds = Array.from({ length: amount.claimed + amount.left }, (_, each) => (number + each) % KINDS);
  const pairs = 2;
  const offers = [
    ...kinds.slice(0, 2 * pairs).flatMap((_, each) => (each % 2 === 0 ? [kinds.slice(each, each + 2)] : [])),
    ...kinds.slice(2 * pairs).map((kind) => [kind]),
  ];
  for (const course of ['declined', 'cancelled', 'declined', 'cancelled'] as const)
    scribe.vainDeposit(owner, botId, 0, course, atMs);
  return offers.flatMap((offer, each) => scribe.deposit(owner, botId, offer, atMs + each * minute));
}

interface Free {
  item: Item;
  reward: Reward;
}

/** Takes the next free reward, in list order, after moving a drawn one there. */
function takeNext(free: Free[], turn: number, drawn: () => Reward | null): Free {
  const reward = drawn();
  const found = reward === null ? turn : free.findIndex((each) => each.reward === reward);
  const taken = free[found];
  const next = free[turn];
  if (!taken || !next) throw new Error('more promises than rewards');
  free[found] = next;
  free[turn] = taken;
  return taken;
}

/** The draws of a random rule: the oldest of each kind can be drawn. Other rules draw nothing. */
export function drawsOf(scribe: Scribe, rule: Rule) {
  let number = 0;
  let previousFingerprint = commitmentOf(rule.seed);
  return (free: readonly Free[], viewer: Member, drawnAtMs: number): Reward | null => {
    if (rule.type !== 'random') return null;
    const kinds = new Map<string, Reward>();
    for (const { item, reward } of [...free].sort((a, b) => (a.reward.id < b.reward.id ? -1 : 1)))
      if (!kinds.has(item.marketHashName)) kinds.set(item.marketHashName, reward);
    const candidates = [...kinds]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([marketHashName, reward]) => ({ rewardId: reward.id, appId: 730, marketHashName, weight: 1 }));
    const key = { ruleId: rule.id, number: ++number, twitchId: viewer.twitchId };
    const { rewardId, marketHashName } = pickCandidate(rule.seed, key, candidates);
    const draw = { ...key, candidates, rewardId, drawnAtMs, previousFingerprint };
    previousFingerprint = fingerprintOf(scribe.add(draws, draw));
    return kinds.get(marketHashName) ?? null;
  };
}

function redeem(
  scribe: Scribe,
  rule: Rule,
  reward: Reward,
  viewer: Member,
  state: 'fulfilled' | 'refunded',
): void {
  if (rule.pointsCost == null) return;
  const redeemedAtMs = (reward.promisedAtMs ?? 0) - minute;
  scribe.add(redemptions, {
    id: scribe.id(redeemedAtMs),
    ruleId: rule.id,
    twitchId: viewer.twitchId,
    rewardId: reward.id,
    state,
    settlement: state === 'fulfilled' ? 'fulfil' : 'refund',
    refundReason: state === 'refunded' ? 'recalled' : null,
    redeemedAtMs,
    endedAtMs: redeemedAtMs + 4 * day,
  });
}

/** Watch time, baselines of a later rule, follows and some gaps. */
function writeWatching(scribe: Scribe, owner: Streamer, viewers: readonly Member[], fromMs: number): void {
  const { channelId } = owner;
  for (const [place, { twitchId }] of viewers.entries()) {
    const seconds = 3600 * (20 + place);
    scribe.add(watchTimes, {
      channelId,
      twitchId,
      seconds,
      nextCheckSeconds: NO_CHECK_SECONDS,
      rolledSeconds: seconds,
    });
    if (place % 2 === 0) scribe.add(follows, { channelId, twitchId, followedAtMs: fromMs + place * hour });
    if (place % 8 === 0) scribe.add(subscribers, { channelId, twitchId, tier: 1 + (place % 3) });
  }
  for (let gap = 0; gap < 3; gap++) {
    const gapMs = fromMs + gap * RULE_LIFE_MS + day;
    scribe.add(watchGaps, { channelId, fromMs: gapMs, untilMs: gapMs + 10 * minute, reason: 'notPolled' });
  }
}

/** Watch time from before a rule began does not count for it. */
export function writeBaselines(
  scribe: Scribe,
  rule: Rule,
  viewers: readonly Member[],
  seconds: number,
): void {
  for (const { twitchId } of viewers) scribe.add(watchBaselines, { ruleId: rule.id, twitchId, seconds });
}
