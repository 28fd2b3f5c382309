import { index, int, json, oneOf, primaryKey, table, text, uniqueIndex } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';

/** Draw weights of item kinds on a random rule; a kind without a row weighs 1. */
export const kindWeights = table(
  'kind_weights',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    appId: int('app_id').notNull(),
    /** The market hash name, and below it the traits of a special piece. */
    kindName: text('market_hash_name').notNull(),
    weight: int('weight').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.appId, t.kindName] })],
);

/** A candidate kind in draw order, with the reward it would have been. */
export interface Candidate {
  rewardId: string;
  appId: number;
  /** With the traits of a special piece in the lines below. */
  marketHashName: string;
  weight: number;
}

/** A draw, with everything needed to repeat it once the rule's seed is published. */
export const draws = table(
  'draws',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    /** The first draw of a rule is 1. */
    number: int('number').notNull(),
    twitchId: text('twitch_id').notNull(),
    candidates: json('candidates').$type<Candidate[]>().notNull(),
    rewardId: text('reward_id')
      .notNull()
      .references(() => rewards.id),
    drawnAtMs: int('drawn_at_ms').notNull(),
    /**
     * The previous draw's fingerprint, or the rule's commitment for the first draw; included in this draw's
     * fingerprint.
     */
    previousFingerprint: text('previous_fingerprint').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.number] }), uniqueIndex('draws_reward').on(t.rewardId)],
);

/**
 * The causes of changes to the chances of the next draws. Those by the streamer: `added`, `removed`,
 * `weighed`.
 */
export const poolChangeCauses = [
  'added',
  'removed',
  'weighed',
  /** A promise ended unclaimed, or its delivery was reversed: its item can be drawn again. */
  'returned',
  /** A free reward ended because its deposit was reversed or its item was lost. */
  'lost',
] as const;
export type PoolChangeCause = (typeof poolChangeCauses)[number];

/**
 * Changes of a random rule's weights and free rewards after the first draw. One row for each kind, cause and
 * draw: successive changes before the next draw are added up, because no draw saw a state in between.
 */
export const poolChanges = table(
  'pool_changes',
  {
    id: text('id').primaryKey(),
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    /** The number of the last draw before the change. */
    afterDraw: int('after_draw').notNull(),
    /** Time of the first change. */
    atMs: int('at_ms').notNull(),
    appId: int('app_id').notNull(),
    /** The market hash name, and below it the traits of a special piece. */
    kindName: text('market_hash_name').notNull(),
    /** Null in rows that are older than this column: their other columns tell. */
    cause: oneOf('cause', poolChangeCauses),
    /** Number of changes; `lastAtMs` is null in rows that are older than this column. */
    times: int('times').notNull().default(1),
    lastAtMs: int('last_at_ms'),
    /** Number of rewards added in all; negative if they were removed, 0 if only the weight changed. */
    added: int('added').notNull().default(0),
    /** Before the first of these changes. Null if the weight did not change. */
    weightBefore: int('weight_before'),
    /** After the last of these changes. */
    weight: int('weight'),
  },
  (t) => [
    index('pool_changes_rule').on(t.ruleId, t.afterDraw, t.id),
    uniqueIndex('pool_changes_once').on(t.ruleId, t.afterDraw, t.appId, t.kindName, t.cause),
  ],
);
