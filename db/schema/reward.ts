import { sql } from 'drizzle-orm';
import { check, index, int, oneOf, primaryKey, table, text, uniqueIndex, within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { revocableConditions, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';

export const rewardStates = ['free', 'promised', 'reserved', 'claimed', 'recalled'] as const;
export type RewardState = (typeof rewardStates)[number];
/** Belongs to a viewer and is not delivered yet. */
export const pendingRewardStates = ['promised', 'reserved'] as const satisfies readonly RewardState[];
/** A live reward binds its item. */
export const liveRewardStates = ['free', 'promised', 'reserved'] as const satisfies readonly RewardState[];
/** Counted in `endedRewards`. */
export const endedRewardStates = ['claimed', 'recalled'] as const satisfies readonly RewardState[];

/**
 * The reasons for which the owner of a rule can stop a claim: the viewer reads it, and it is counted in
 * public.
 */
export const stopReasons = ['accountStolen', 'ruleAbused', 'mistake'] as const;
export type StopReason = (typeof stopReasons)[number];

/** One item attached to one rule. A row never changes hands: a failed promise stays as recalled history. */
export const rewards = table(
  'rewards',
  {
    id: text('id').primaryKey(),
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    /** The rule's owner and channel, which never change: lists over all rules of either are read from an index. */
    ownerId: text('owner_id').references(() => users.id),
    channelId: text('channel_id').references(() => channels.id),
    /** The line of the rule, which never changes either; null if it is the rule itself. */
    lineId: text('line_id').references(() => rules.id),
    itemId: text('item_id')
      .notNull()
      .references(() => items.id),
    state: oneOf('state', rewardStates).notNull().default('free'),
    /** The order in which free rewards are handed out. */
    position: text('position').notNull(),
    twitchId: text('twitch_id'),
    userId: text('user_id').references(() => users.id),
    promisedAtMs: int('promised_at_ms'),
    claimUntilMs: int('claim_until_ms'),
    /** Time by which outages extended the claim window. */
    claimShiftedMs: int('claim_shifted_ms').notNull().default(0),
    /** The SteamID64 of the claim, one per line of rules. Cleared when a claim ends undelivered. */
    steamId: text('steam_id'),
    claimedAtMs: int('claimed_at_ms'),
    /** Time at which its viewer was shown the card of its delivery; null if they were not yet. */
    winSeenAtMs: int('win_seen_at_ms'),
    recallReason: text('recall_reason'),
    /**
     * The reason why the rule's owner stopped the claim, or asked to while its offer could still be accepted.
     */
    stopReason: oneOf('stop_reason', stopReasons),
    stopAskedAtMs: int('stop_asked_at_ms'),
    /** The condition that stopped the last claim; cleared by the next claim. */
    unmetCondition: oneOf('unmet_condition', revocableConditions),
    /** Set when a streamer attached it, not when it replaces a recalled row: the monthly limit counts these. */
    createdAtMs: int('created_at_ms').notNull(),
    attachedAtMs: int('attached_at_ms'),
  },
  (t) => [
    uniqueIndex('rewards_one_live_per_item').on(t.itemId).where(within(sql`state`, liveRewardStates)),
    uniqueIndex('rewards_one_promise_per_viewer').on(t.ruleId, t.twitchId).where(sql`twitch_id is not null`),
    uniqueIndex('rewards_one_promise_of_line')
      .on(sql`(case when line_id is null then rule_id else line_id end)`, t.twitchId)
      .where(sql`twitch_id is not null`),
    index('rewards_line_user')
      .on(sql`(case when line_id is null then rule_id else line_id end)`, t.userId)
      .where(sql`user_id is not null`),
    uniqueIndex('rewards_one_claim_of_line')
      .on(sql`(case when line_id is null then rule_id else line_id end)`, t.steamId)
      .where(sql`steam_id is not null`),
    index('rewards_free').on(t.ruleId, t.position).where(sql`state = 'free'`),
    index('rewards_pending').on(t.state, t.claimUntilMs).where(within(sql`state`, pendingRewardStates)),
    index('rewards_rule').on(t.ruleId, t.state),
    index('rewards_owner_live').on(t.ownerId, t.state, t.ruleId).where(within(sql`state`, liveRewardStates)),
    index('rewards_promises').on(t.ruleId, t.promisedAtMs, t.id).where(sql`twitch_id is not null`),
    index('rewards_owner_promises').on(t.ownerId, t.promisedAtMs, t.id).where(sql`twitch_id is not null`),
    index('rewards_channel_promises').on(t.channelId, t.promisedAtMs, t.id).where(sql`twitch_id is not null`),
    index('rewards_user_promises').on(t.userId, t.promisedAtMs, t.id).where(sql`twitch_id is not null`),
    index('rewards_owner_attached').on(t.ownerId, t.attachedAtMs).where(sql`attached_at_ms is not null`),
    index('rewards_ended_item').on(t.itemId).where(within(sql`state`, endedRewardStates)),
    index('rewards_channel_stopped').on(t.channelId, t.stopReason).where(sql`recall_reason = 'stopped'`),
    index('rewards_rule_stopped').on(t.ruleId, t.stopReason).where(sql`recall_reason = 'stopped'`),
    index('rewards_user').on(t.userId, t.state, t.promisedAtMs, t.id),
    check('rewards_state', within(t.state, rewardStates)),
    check('rewards_free_is_nobodys', sql`(${t.state} = 'free') <= (${t.twitchId} is null)`),
  ],
);

/**
 * Number of ended rewards of a rule, by kind. Counted as they end, because a rule's past grows for years, and
 * its page shows these numbers.
 */
export const endedRewards = table(
  'ended_rewards',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    appId: int('app_id').notNull(),
    /** The market hash name, and below it the traits of a special piece. */
    kindName: text('kind_name').notNull(),
    /** Any one of the items, for its picture. What is learned of that item later does not change the kind. */
    itemId: text('item_id')
      .notNull()
      .references(() => items.id),
    claimed: int('claimed').notNull(),
    recalled: int('recalled').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.appId, t.kindName] })],
);
