import { index, int, json, primaryKey, table, text, uniqueIndex } from '#db/dialect.ts';
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
 * What its streamer changed on a random rule after the first draw: weights, and rewards that were added or taken off. One
 * row for each kind.
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
    atMs: int('at_ms').notNull(),
    appId: int('app_id').notNull(),
    /** The market hash name, and below it the traits of a special piece. */
    kindName: text('market_hash_name').notNull(),
    /** How many rewards were added; negative: taken off. 0: only the weight changed. */
    added: int('added').notNull().default(0),
    /** Null if the weight did not change. */
    weightBefore: int('weight_before'),
    weight: int('weight'),
  },
  (t) => [index('pool_changes_rule').on(t.ruleId, t.afterDraw, t.id)],
);
