import { int, json, primaryKey, table, text, uniqueIndex } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';

/** How likely each kind of item is drawn on a random rule, against the others; a kind without a row weighs 1. */
export const kindWeights = table(
  'kind_weights',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    appId: int('app_id').notNull(),
    marketHashName: text('market_hash_name').notNull(),
    weight: int('weight').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.appId, t.marketHashName] })],
);

/** One kind of item that could have been drawn, in the order in which the draw counted them, and the reward that it would have been. */
export interface Candidate {
  rewardId: string;
  appId: number;
  marketHashName: string;
  weight: number;
}

/** One random choice, with all that is needed to do it again once the rule's seed is known. */
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
    /** The fingerprint of the draw before it, of the first draw the rule's commitment; its own covers this too. */
    previousFingerprint: text('previous_fingerprint').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.number] }), uniqueIndex('draws_reward').on(t.rewardId)],
);
