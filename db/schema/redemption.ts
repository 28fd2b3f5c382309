import { sql } from 'drizzle-orm';
import { check, index, int, oneOf, table, text, uniqueIndex, within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';

export const customRewardStates = ['missing', 'enabled', 'paused', 'disabled', 'deleted'] as const;
export type CustomRewardState = (typeof customRewardStates)[number];
/** Desired on Twitch or still present there. */
export const liveCustomRewardStates = [
  'missing',
  'enabled',
  'paused',
  'disabled',
] as const satisfies readonly CustomRewardState[];
export const customRewardFaults = [
  'notAffiliate',
  'tooMany',
  'titleTaken',
  'permissionMissing',
  'wordsRefused',
] as const;
export type CustomRewardFault = (typeof customRewardFaults)[number];

/** A rule's custom reward on Twitch, in its last confirmed state. */
export const customRewards = table(
  'custom_rewards',
  {
    ruleId: text('rule_id')
      .primaryKey()
      .references(() => rules.id),
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id),
    /** Twitch's id; null until it was created. */
    twitchRewardId: text('twitch_reward_id'),
    state: oneOf('state', customRewardStates).notNull().default('missing'),
    /** The reason why Twitch refused it; null if it did not. */
    fault: oneOf('fault', customRewardFaults),
    /** Time of the first look that did not find it on Twitch; null if the last one did. Domain time. */
    missedAtMs: int('missed_at_ms'),
    /** System time. */
    retryAtMs: int('retry_at_ms').notNull().default(0),
  },
  (t) => [
    uniqueIndex('custom_rewards_twitch').on(t.twitchRewardId).where(sql`twitch_reward_id is not null`),
    index('custom_rewards_channel').on(t.channelId),
    index('custom_rewards_state').on(t.state),
    check('custom_rewards_state', within(t.state, customRewardStates)),
  ],
);

export const redemptionStates = ['open', 'fulfilled', 'refunded'] as const;
export type RedemptionState = (typeof redemptionStates)[number];
export const settlements = ['fulfil', 'refund'] as const;
export type Settlement = (typeof settlements)[number];
/** The reasons for refunding a redemption. */
export const refundReasons = [
  'notRegistered',
  'conditionsUnmet',
  'outOfRewards',
  'ruleNotOpen',
  'alreadyPromised',
  'ownRule',
  'recalled',
] as const;
export type RefundReason = (typeof refundReasons)[number];

/** A redemption of such a custom reward, by Twitch's id. It ends once Twitch confirms the settlement. */
export const redemptions = table(
  'redemptions',
  {
    id: text('id').primaryKey(),
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    twitchId: text('twitch_id').notNull(),
    /** The reward promised for it; null if none was. */
    rewardId: text('reward_id').references(() => rewards.id),
    state: oneOf('state', redemptionStates).notNull().default('open'),
    /** The settlement to send to Twitch; null while the promise is undelivered. */
    settlement: oneOf('settlement', settlements),
    refundReason: oneOf('refund_reason', refundReasons),
    redeemedAtMs: int('redeemed_at_ms').notNull(),
    endedAtMs: int('ended_at_ms'),
    /** System time. */
    runAtMs: int('run_at_ms').notNull().default(0),
    attempts: int('attempts').notNull().default(0),
    /**
     * Number of consecutive polls that did not find it on Twitch. On an ended redemption: the end was
     * assumed, not confirmed.
     */
    missedPolls: int('missed_polls').notNull().default(0),
  },
  (t) => [
    uniqueIndex('redemptions_reward').on(t.rewardId).where(sql`reward_id is not null`),
    index('redemptions_due').on(t.runAtMs).where(sql`state = 'open' and settlement is not null`),
    index('redemptions_open').on(t.ruleId).where(sql`state = 'open'`),
    index('redemptions_rule').on(t.ruleId, t.twitchId),
    index('redemptions_viewer').on(t.twitchId),
    check('redemptions_state', within(t.state, redemptionStates)),
  ],
);
