import { and, asc, count, desc, eq, gte, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { customRewards } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, qualifications, rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { day } from '#domain/kernel/time.ts';
import { isServed } from '#domain/rule/is-served.ts';
import { isLowOnStock } from '#domain/rule/low-stock.ts';

/** A viewer by name and picture. */
export interface Face {
  displayName: string;
  pictureUrl: string;
}

export interface RuleNeed {
  id: string;
  name: string;
  /** Free rewards. */
  free: number;
  /** True if a reward of it was ever promised. */
  isUsed: boolean;
  /** Viewers who met the rule and have no reward yet. */
  waiting: number;
}

/** A rule with few rewards left. */
export interface LowRule extends RuleNeed {
  /**
   * Time at which its last reward is promised, at the pace of the last two weeks; null if there were too few
   * promises to show a pace.
   */
  emptyAtMs: number | null;
  /**
   * The item that comes next or, once none is free, the one given last; null if there is none, or it is not
   * shown.
   */
  art: RuleArt | null;
}

/** The facts that an item's picture is drawn from. */
export type RuleArt = Pick<ItemFacts, 'iconUrl' | 'typeTag' | 'rarityTag'>;

export interface RuleNeeds {
  /**
   * Viewers who wait for rewards: those of the rule with the most of them, and the number of other rules with
   * any.
   */
  waiting: {
    viewers: number;
    rule: RuleNeed;
    otherRules: number;
    sinceMs: number;
    /** The first in line. */
    faces: Face[];
  } | null;
  /** Open rules that have few rewards left and nobody waiting, emptiest first. */
  lowOnStock: LowRule[];
  /** Open rules whose custom reward Twitch refuses, newest first: nobody can redeem them. */
  refused: Pick<RuleNeed, 'id' | 'name'>[];
}

/** Number of waiting viewers that are shown. */
export const FACES = 4;
/** Number of rules that get a pace and a picture: those that are shown. */
const SHOWN_RULES = 2;
const PACE_MS = 14 * day;
/** Fewer promises than this show no pace. */
const MIN_PROMISES = 2;
/** An estimate further away than this is worth nothing. */
const MAX_EMPTY_MS = 60 * day;

const readRules = statement('rules_with_needs', (q) =>
  q
    .select({
      id: rules.id,
      name: rules.name,
      state: rules.state,
      createdAtMs: rules.createdAtMs,
      free: sql<number>`(${q
        .select({ free: count() })
        .from(rewards)
        .where(and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))})`.mapWith(Number),
      waiting: sql<number>`(${q
        .select({ waiting: count() })
        .from(qualifications)
        .where(
          and(
            eq(qualifications.ruleId, rules.id),
            isNull(qualifications.promisedAtMs),
            isServed(q, qualifications),
          ),
        )})`.mapWith(Number),
      isUsed: sql<boolean>`exists ${q
        .select({ one: sql`1` })
        .from(rewards)
        .where(and(eq(rewards.ruleId, rules.id), isNotNull(rewards.twitchId)))}`.mapWith(Boolean),
      isRefused: sql<boolean>`exists ${q
        .select({ one: sql`1` })
        .from(customRewards)
        .where(and(eq(customRewards.ruleId, rules.id), isNotNull(customRewards.fault)))}`.mapWith(Boolean),
    })
    .from(rules)
    .where(and(eq(rules.ownerId, sql.placeholder('ownerId')), within(rules.state, liveRuleStates)))
    .orderBy(desc(rules.id)),
);

const readFirstInLine = statement('first_in_line', (q) =>
  q
    .select({
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      sinceMs: qualifications.qualifiedAtMs,
    })
    .from(qualifications)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, qualifications.twitchId))
    .where(
      and(
        eq(qualifications.ruleId, sql.placeholder('ruleId')),
        isNull(qualifications.promisedAtMs),
        isServed(q, qualifications),
      ),
    )
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak))
    .limit(FACES),
);

const countPromises = statement('promises_since', (q) =>
  q
    .select({ promises: count() })
    .from(rewards)
    .where(
      and(
        eq(rewards.ruleId, sql.placeholder('ruleId')),
        isNotNull(rewards.twitchId),
        gte(rewards.promisedAtMs, sql.placeholder('sinceMs')),
      ),
    ),
);

const art = { iconUrl: items.iconUrl, typeTag: items.typeTag, rarityTag: items.rarityTag };

const readNextArt = statement('art_of_next_reward', (q) =>
  q
    .select(art)
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, sql.placeholder('ruleId')), is(rewards.state, 'free')))
    .orderBy(asc(rewards.position))
    .limit(1),
);

const readLastArt = statement('art_of_last_promise', (q) =>
  q
    .select(art)
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, sql.placeholder('ruleId')), isNotNull(rewards.twitchId)))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(1),
);

async function findArt(read: Database['read'], { id, free }: RuleNeed): Promise<RuleArt | null> {
  const [found] = await (free > 0 ? readNextArt : readLastArt)(read, { ruleId: id });
  return found ?? null;
}

/** Estimates when a rule runs empty, at the pace of the last two weeks or since it was opened. */
async function emptyAt(
  read: Database['read'],
  { id, free, createdAtMs }: { id: string; free: number; createdAtMs: number },
  nowMs: number,
): Promise<number | null> {
  if (free === 0) return null;
  const sinceMs = Math.max(nowMs - PACE_MS, createdAtMs);
  const [{ promises } = { promises: 0 }] = await countPromises(read, { ruleId: id, sinceMs });
  if (promises < MIN_PROMISES) return null;
  // A rule that has just been opened would seem far too fast, so at least a day is assumed.
  const leftMs = (free / promises) * Math.max(nowMs - sinceMs, day);
  return leftMs > MAX_EMPTY_MS ? null : nowMs + leftMs;
}

/** The needs of a rule: rewards for those in line, or for a pool that is nearly empty. */
export const ruleNeeds = ['waiting', 'low'] as const;
export type RuleNeedName = (typeof ruleNeeds)[number];

export interface LiveRule extends RuleNeed {
  createdAtMs: number;
  need: RuleNeedName | null;
  /** Twitch refuses the custom reward of this open rule. */
  isRefused: boolean;
}

/** Lists a streamer's open and paused rules, newest first, with the needs of each. */
export async function listLiveRules({ read }: Database, asked: { ownerId: string }): Promise<LiveRule[]> {
  const live = await readRules(read, asked);
  return live.map(({ state, ...found }) => {
    const rule = { ...found, isRefused: found.isRefused && state === 'open' };
    if (rule.waiting > 0) return { ...rule, need: rule.free === 0 ? 'waiting' : null };
    return { ...rule, need: state === 'open' && isLowOnStock(rule) ? 'low' : null };
  });
}

const needOf = ({ id, name, free, isUsed, waiting }: LiveRule): RuleNeed => ({
  id,
  name,
  free,
  isUsed,
  waiting,
});

/** Returns what a streamer's live rules need: rewards for viewers in line, and for pools that are nearly empty. */
export async function listRuleNeeds(
  db: Database,
  asked: { ownerId: string },
  nowMs: number,
): Promise<RuleNeeds> {
  const { read } = db;
  const live = await listLiveRules(db, asked);
  const needing = (wanted: RuleNeedName) => live.filter(({ need }) => need === wanted);
  const inLine = needing('waiting')
    .map(needOf)
    .toSorted((a, b) => b.waiting - a.waiting);
  const low = needing('low').toSorted((a, b) => a.free - b.free);
  const lowOnStock = await Promise.all(
    low.map(async (rule, place) => ({
      ...needOf(rule),
      emptyAtMs: place < SHOWN_RULES ? await emptyAt(read, rule, nowMs) : null,
      art: place < SHOWN_RULES ? await findArt(read, rule) : null,
    })),
  );
  const refused = live.filter(({ isRefused }) => isRefused).map(({ id, name }) => ({ id, name }));
  const [first] = inLine;
  if (!first) return { waiting: null, lowOnStock, refused };
  const line = await readFirstInLine(read, { ruleId: first.id });
  const named = line.flatMap(({ displayName, pictureUrl, sinceMs }) =>
    displayName === null ? [] : [{ displayName, pictureUrl: pictureUrl ?? '', sinceMs }],
  );
  return {
    waiting: {
      viewers: inLine.reduce((sum, { waiting }) => sum + waiting, 0),
      rule: first,
      otherRules: inLine.length - 1,
      // Taken from the first viewer shown, because somebody before them may have disconnected Twitch.
      sinceMs: named[0]?.sinceMs ?? line[0]?.sinceMs ?? 0,
      faces: named.map(({ displayName, pictureUrl }) => ({ displayName, pictureUrl })),
    },
    lowOnStock,
    refused,
  };
}
