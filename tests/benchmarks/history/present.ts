import { follows, subscribers, watchDays, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';
import { sessions } from '#db/schema/user.ts';
import { NO_CHECK_SECONDS } from '#domain/condition/next-check.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { day, dayOf, hour, minute } from '#domain/kernel/time.ts';
import { drawsOf, writeBaselines } from '#tests/benchmarks/history/past.ts';
import {
  type Item,
  type Member,
  memberOf,
  type Rule,
  type Scribe,
  type Streamer,
} from '#tests/benchmarks/history/scribe.ts';

/** Ids of people in every database, above those of any past. */
const PRESENT = 8_000_000;
const KINDS = 50;
const VIEWERS = 400;
const UNREGISTERED = 600;
const ORDINARY_OWNERS = 20;

/** The part of a database that is the same whatever its past, for benchmarks that read it. */
export interface Present {
  /** Has 3,000 items of 50 kinds in custody, and an active channel. */
  owner: Streamer;
  /** Has rewards promised, being claimed, claimed and waiting, on the owner's channel and on others. */
  viewer: Member;
  /** Session tokens for a browser. */
  tokens: { owner: string; viewer: string };
  /** Has some transfers in every live state. */
  botId: string;
  /** The owner's rules by condition or state. */
  rules: Record<'watched' | 'drawn' | 'waiting' | 'points' | 'paused' | 'closed', string>;
  ordinaryOwners: Member[];
}

/** Writes it identically in every database. */
export function writePresent(scribe: Scribe, bots: readonly string[], nowMs: number): Present {
  const cameMs = nowMs - 700 * day;
  const viewers = Array.from({ length: VIEWERS }, (_, each) => scribe.member(PRESENT + 100 + each, cameMs));
  const viewer = viewers[0] as Member;
  const owner = scribe.streamer(PRESENT, cameMs, {
    ...live(nowMs),
    rolledUpToMs: dayOf(nowMs),
    followsReadAtMs: nowMs - hour,
    subscribersReadAtMs: nowMs - hour,
  });
  const stock = writeStock(scribe, owner, bots, nowMs);
  const rules = writeRules(scribe, { owner, viewers, stock, nowMs });
  writeMovement(scribe, { owner, stock, nowMs });
  writeWatching(scribe, owner, viewers, nowMs);
  const ordinaryOwners = Array.from({ length: ORDINARY_OWNERS }, (_, each) =>
    writeOrdinary(scribe, {
      number: PRESENT + 1 + each,
      botId: bots[each % bots.length] ?? '',
      viewers,
      nowMs,
    }),
  );
  const tokens = { owner: 'demo-token-of-the-owner', viewer: 'demo-token-of-the-viewer' };
  writeSession(scribe, owner, tokens.owner, nowMs);
  writeSession(scribe, viewer, tokens.viewer, nowMs);
  return { owner, viewer, tokens, botId: bots[0] ?? '', rules, ordinaryOwners };
}

const live = (nowMs: number) => ({
  live: true,
  streamId: 'stream-1',
  streamStartedAtMs: nowMs - 2 * hour,
  lastSeenAtMs: nowMs,
  watchedUntilMs: nowMs - minute,
});

function writeSession(scribe: Scribe, { userId }: Member, token: string, nowMs: number): void {
  const expiresAtMs = Date.UTC(2100, 0);
  scribe.add(sessions, {
    tokenHash: hashOf(token),
    userId,
    createdAtMs: nowMs,
    lastSeenAtMs: nowMs,
    expiresAtMs,
  });
}

/** Items deposited over two years; each is given out once. */
class Stock {
  readonly #items: Item[];
  constructor(items: Item[]) {
    this.#items = items;
  }

  take(amount: number): Item[] {
    return this.#items.splice(0, amount);
  }
}

/** 3,000 that remain and 300 claimed since; the last hundred are still locked. */
function writeStock(scribe: Scribe, owner: Streamer, bots: readonly string[], nowMs: number): Stock {
  const OFFERS = 33;
  const items: Item[] = [];
  for (let offer = 0; offer < OFFERS; offer++) {
    const last = offer === OFFERS - 1;
    const atMs = last ? nowMs - 3 * day : nowMs - (600 - offer * 15) * day;
    const kinds = Array.from({ length: 100 }, (_, each) => (offer * 7 + each) % KINDS);
    const came = scribe.deposit(owner, bots[offer % bots.length] ?? '', kinds, atMs);
    if (!last) items.push(...came);
  }
  for (let vain = 0; vain < 10; vain++)
    scribe.vainDeposit(owner, bots[0] ?? '', vain, 'declined', nowMs - (vain + 40) * day);
  return new Stock(items);
}

interface Scene {
  owner: Streamer;
  viewers: readonly Member[];
  stock: Stock;
  nowMs: number;
}

function writeRules(scribe: Scribe, scene: Scene): Present['rules'] {
  const { owner, viewers, nowMs } = scene;
  const rule = (facts: Partial<Rule>, daysAgo: number) => scribe.rule(owner, facts, nowMs - daysAgo * day);
  const closed = rule({ name: 'Closed', state: 'closed', closedAtMs: nowMs - 120 * day }, 300);
  give(scribe, scene, closed, { claimed: 150, viewerAt: 5 });
  const watched = rule({ name: 'Watched', watchMinutes: 600 }, 90);
  writeBaselines(scribe, watched, viewers, 3600);
  give(scribe, scene, watched, { claimed: 100, free: 300, promised: 30, reserved: 6, viewerAt: 110 });
  const drawn = rule({ name: 'Drawn', type: 'random', watchMinutes: 300, watchScope: 'allTime' }, 60);
  give(scribe, scene, drawn, { claimed: 40, free: 150, promised: 20, reserved: 4, viewerAt: 41 });
  const waiting = rule({ name: 'Waiting', followDays: 30 }, 50);
  give(scribe, scene, waiting, { claimed: 10, promised: 10 });
  for (const viewer of [...viewers.slice(0, 1), ...viewers.slice(100, 300)])
    scribe.qualify(waiting, viewer, nowMs - 2 * day, null);
  const points = rule({ name: 'Points', watchMinutes: null, pointsCost: 1000 }, 40);
  scribe.add(customRewards, {
    ruleId: points.id,
    channelId: owner.channelId,
    twitchRewardId: 'custom-reward-1',
    state: 'enabled',
  });
  for (const { reward, viewer } of give(scribe, scene, points, { free: 40, promised: 10 }))
    if (viewer)
      scribe.add(redemptions, {
        id: scribe.id(nowMs - day),
        ruleId: points.id,
        twitchId: viewer.twitchId,
        rewardId: reward.id,
        redeemedAtMs: nowMs - day,
      });
  const paused = rule({ name: 'Paused', subscriberTier: 1, state: 'paused', pauseReason: 'overLimit' }, 30);
  give(scribe, scene, paused, { free: 20, promised: 5 });
  const ids = { watched, drawn, waiting, points, paused, closed };
  return Object.fromEntries(Object.entries(ids).map(([name, { id }]) => [name, id])) as Present['rules'];
}

interface Amounts extends Partial<Record<'claimed' | 'reserved' | 'promised' | 'free', number>> {
  /** The reader's place among the viewers; without it, they get nothing. */
  viewerAt?: number;
}

/** Rewards of a rule in all stages: claimed long ago, on their way, promised, and free. */
function give(scribe: Scribe, scene: Scene, rule: Rule, amounts: Amounts) {
  const { viewers, stock, nowMs } = scene;
  const { claimed = 0, reserved = 0, promised = 0, free = 0, viewerAt = -1 } = amounts;
  const given = stock.take(claimed + reserved + promised + free).map((item, place) => {
    const attachedAtMs = rule.createdAtMs + hour + place;
    return { item, reward: scribe.attach(rule, item, attachedAtMs), viewer: undefined as Member | undefined };
  });
  const draw = drawsOf(scribe, rule);
  const courses = ['queued', 'sent', 'uncertain', 'queued'] as const;
  for (let turn = 0; turn < claimed + reserved + promised; turn++) {
    const viewer = viewers[turn === viewerAt ? 0 : turn + 1] as Member;
    const promisedAtMs =
      turn < claimed ? rule.createdAtMs + 2 * hour + turn * 4 * hour : nowMs - day + turn * minute;
    const drawn = draw(given.slice(turn), viewer, promisedAtMs);
    const found = drawn === null ? turn : given.findIndex(({ reward }) => reward === drawn);
    const [taken] = given.splice(found, 1) as [(typeof given)[number]];
    given.splice(turn, 0, taken);
    taken.viewer = viewer;
    scribe.promise(rule, taken.reward, viewer, promisedAtMs);
    const { reward, item } = taken;
    if (turn < claimed) scribe.claim(reward, item, viewer, 'settled', promisedAtMs + hour);
    else if (turn < claimed + reserved)
      scribe.claim(reward, item, viewer, courses[turn % courses.length] ?? 'queued', nowMs - 3 * minute);
  }
  return given;
}

/** Some items are being returned, and some deposits are on their way. */
function writeMovement(scribe: Scribe, { owner, stock, nowMs }: Omit<Scene, 'viewers'>): void {
  for (const course of ['queued', 'sent', 'sent', 'accepted', 'accepted'] as const)
    scribe.giveBack(owner, stock.take(3), course, nowMs - 5 * hour);
  const botId = 'bot-0';
  for (const course of ['queued', 'sent'] as const)
    scribe.vainDeposit(owner, botId, 1, course, nowMs - 10 * minute);
}

/** A thousand people watch the owner's channel, most of them without an account. */
function writeWatching(scribe: Scribe, owner: Streamer, viewers: readonly Member[], nowMs: number): void {
  const { channelId } = owner;
  const strangers = Array.from({ length: UNREGISTERED }, (_, each) => memberOf(PRESENT + 1000 + each));
  const today = dayOf(nowMs);
  for (const [place, { twitchId }] of [...viewers, ...strangers].entries()) {
    const seconds = 60_000 + place * 60;
    scribe.add(watchTimes, {
      channelId,
      twitchId,
      seconds,
      nextCheckSeconds: NO_CHECK_SECONDS,
      rolledSeconds: seconds - 1800,
    });
    if (place % 3 < 2) scribe.add(follows, { channelId, twitchId, followedAtMs: nowMs - (place + 5) * day });
    if (place % 4 === 0) scribe.add(subscribers, { channelId, twitchId, tier: 1 + (place % 3) });
    for (let ago = 1 + (place % 20); ago <= 92; ago += 20)
      scribe.add(watchDays, { channelId, dayMs: today - ago * day, twitchId, seconds: 3600 });
  }
  for (let gap = 1; gap <= 20; gap++)
    scribe.add(watchGaps, {
      channelId,
      fromMs: nowMs - gap * day,
      untilMs: nowMs - gap * day + 10 * minute,
      reason: 'notPolled',
    });
}

/** A typical streamer: one open rule with a few rewards, one of them claimed by the reader. */
function writeOrdinary(
  scribe: Scribe,
  facts: { number: number; botId: string; viewers: readonly Member[]; nowMs: number },
): Member {
  const { number, botId, viewers, nowMs } = facts;
  const cameMs = nowMs - 200 * day;
  const owner = scribe.streamer(number, cameMs, { rolledUpToMs: dayOf(nowMs), watchedUntilMs: nowMs - day });
  const kinds = Array.from({ length: 30 }, (_, each) => each % 5);
  const stock = new Stock(scribe.deposit(owner, botId, kinds, cameMs));
  const rule = scribe.rule(owner, { name: `Demo rule of ${number}` }, nowMs - 150 * day);
  give(scribe, { owner, viewers, stock, nowMs }, rule, { claimed: 10, promised: 5, free: 5, viewerAt: 3 });
  const { channelId } = owner;
  for (const { twitchId } of viewers.slice(0, 40))
    scribe.add(watchTimes, {
      channelId,
      twitchId,
      seconds: 7200,
      nextCheckSeconds: NO_CHECK_SECONDS,
      rolledSeconds: 7200,
    });
  return owner;
}
