import { z } from 'zod';
import { viewerGapReasons, watchGapReasons } from '#db/schema/channel.ts';
import { refundReasons } from '#db/schema/redemption.ts';
import { rewardStates } from '#db/schema/reward.ts';
import { pauseReasons, ruleStates, ruleTypes } from '#db/schema/rule.ts';
import { transferStates } from '#db/schema/transfer.ts';
import { listedConditions } from '#domain/condition/conditions.ts';
import { announcements } from '#domain/outbox/announce.ts';
import { promiseStatuses } from '#domain/reward/promise-status.ts';
import { correctionModes } from '#domain/rule/correction-mode.ts';
import { progressStatuses } from '#domain/view/list-progress.ts';
import { apiTokens, steamAccounts, twitchAccounts, twitchSignIns, users } from './account-resources.ts';
import {
  billingPortals,
  charges,
  checkouts,
  planChanges,
  plans,
  subscriptions,
} from './billing-resources.ts';
import { channelGuests, channelListings, channelPages, channels, dashboards } from './channel-resources.ts';
import { ownerFields, progressFields, ruleFields } from './conditions.ts';
import { raffleEntries, raffles } from './raffle-resources.ts';
import { defineResource } from './resource.ts';
import {
  bot,
  count,
  kindFacts,
  kindId,
  moment,
  momentOrNull,
  pool,
  stoppedCounts,
  stopReason,
} from './shapes.ts';
import { openOffers, transferItems, transfers } from './transfer-resources.ts';

export * from './account-resources.ts';
export * from './billing-resources.ts';
export * from './channel-resources.ts';
export * from './raffle-resources.ts';
export * from './transfer-resources.ts';

/** The outcome of the last redemption of channel points. */
const redemption = z
  .strictObject({
    redeemed_at: moment,
    points: z.enum(['kept', 'returning', 'returned']),
    refund_reason: z.enum(refundReasons).nullable(),
  })
  .nullable();

export const rules = defineResource({
  type: 'rules',
  attributes: z.strictObject({
    name: z.string(),
    rule_type: z.enum(ruleTypes),
    state: z.enum(ruleStates),
    pause_reason: z.enum(pauseReasons).nullable(),
    /** Since when its owner has paused it, and when that ends by itself. */
    paused_since: momentOrNull,
    resumes_at: momentOrNull,
    /** Since when it is frozen, because its owner disowned what was done: in any state it gives nothing meanwhile. */
    frozen_since: momentOrNull,
    channel_id: z.string(),
    channel_name: z.string(),
    ...ruleFields,
    ...ownerFields,
    claim_timeout_hours: z.int(),
    /** Hours after a promise before which an item is not sent. */
    send_delay_hours: z.int(),
    pool: z.strictObject(pool),
    preparing: count,
    waiting: count,
    created_at: moment,
    closed_at: momentOrNull,
  }),
  relationships: { rewards: { type: 'rule-rewards', many: true } },
});

/** The values of a rule that corrections change. */
const ruleValues = z.strictObject({
  name: z.string(),
  rule_type: z.enum(ruleTypes),
  ...ruleFields,
  claim_timeout_hours: z.int(),
});

export const ruleCorrections = defineResource({
  type: 'rule-corrections',
  attributes: z.strictObject({
    corrected_at: moment,
    /** Number of the last draw before it; 0 before the first. */
    after_draw: count,
    before: ruleValues,
    after: ruleValues,
    /** The other rule, if a harder one took the place of the other. */
    succession: z.strictObject({ rule_id: z.string(), is: z.enum(['predecessor', 'successor']) }).nullable(),
  }),
});

export const correctionPreviews = defineResource({
  type: 'rule-correction-previews',
  attributes: z.strictObject({
    mode: z.enum(correctionModes),
    newly: count,
    waiting: count,
    leaving: count,
    free: count,
    promised: count,
    counted_at: moment,
  }),
});

export const ruleRewards = defineResource({
  type: 'rule-rewards',
  attributes: z.strictObject({ ...kindFacts, ...pool, preparing: count, weight: z.int() }),
});

export const items = defineResource({
  type: 'items',
  attributes: z.strictObject({
    ...kindFacts,
    rarity_color: z.string(),
    total: count,
    available: count,
    unavailable: count,
    in_cooldown: count,
    cooldown_until: momentOrNull,
    assigned: count,
    moving: count,
    missing: count,
  }),
});

export const itemPieces = defineResource({
  type: 'item-pieces',
  attributes: z.strictObject({ ...kindFacts, available: count }),
});

export const inventoryItems = defineResource({
  type: 'inventory-items',
  attributes: z.strictObject({
    ...kindFacts,
    pieces: count,
    available: count,
    off_reason: z.enum(['notTradable', 'protected', 'inOffer', 'stack']).nullable(),
    protected_until: momentOrNull,
  }),
});

export const rewardProgress = defineResource({
  type: 'reward-progress',
  attributes: z.strictObject({
    rule_name: z.string(),
    rule_type: z.enum(ruleTypes),
    status: z.enum(progressStatuses),
    ...progressFields,
    redemption,
    chances: z.array(
      z.strictObject({
        kind_id: kindId,
        app_id: z.int(),
        market_hash_name: z.string(),
        chance: z.number(),
      }),
    ),
    met: z.boolean(),
    free_rewards: count,
    claim_timeout_hours: z.int(),
    next_item: z.strictObject({ name: z.string(), icon_url: z.string() }).nullable(),
    /** The place on the waiting list; null unless the status is `waiting`. */
    in_line: z.strictObject({ place: count, waiting: count }).nullable(),
    /** The part of the caller in the chat at the last look; null unless the channel is live and the rule counts time in it. */
    in_chat: z
      .strictObject({
        is: z.enum(['counted', 'absent', 'uncounted', 'unknown']),
        looked_at: momentOrNull,
        reason: z.enum(viewerGapReasons).nullable(),
      })
      .nullable(),
    gaps: z.array(
      z.strictObject({
        from: moment,
        until: moment,
        reason: z.enum([...watchGapReasons, ...viewerGapReasons]),
      }),
    ),
  }),
  relationships: { channel: { type: 'channels', many: false } },
});

export const rewards = defineResource({
  type: 'rewards',
  attributes: z.strictObject({
    state: z.enum(rewardStates),
    rule_name: z.string(),
    item: z.strictObject(kindFacts),
    claim_timeout_hours: z.int(),
    promised_at: moment,
    claim_until: moment,
    /** The earliest time it is sent; null if it is not held back. */
    sends_from: momentOrNull,
    /**
     * After several cancelled or declined offers it cannot be claimed again before this time, which may be
     * over.
     */
    claim_paused_until: momentOrNull,
    /**
     * Time since when the streamer has paused the rule’s rewards: none can be claimed, and the claim window
     * stands still.
     */
    claim_frozen_since: momentOrNull,
    /** Seconds by which outages and freezes extended the claim window. */
    claim_shifted_seconds: count,
    outages: z.array(z.strictObject({ from: moment, until: moment })),
    redemption,
    claimed_at: momentOrNull,
    recall_reason: z.string().nullable(),
    /**
     * The reason why the rule’s owner stopped the claim, or asked to; it is yours if its state is `claimed`
     * all the same.
     */
    stop_reason: stopReason,
    rule_id: z.string(),
    /** Null if the reward was not drawn. */
    draw_number: z.int().nullable(),
    offer: z
      .strictObject({
        transfer_id: z.string(),
        state: z.enum(transferStates),
        trade_offer_id: z.string().nullable(),
        security_code: z.string(),
        sent_at: momentOrNull,
        bot,
      })
      .nullable(),
  }),
  relationships: { channel: { type: 'channels', many: false } },
});

export const givenRewards = defineResource({
  type: 'given-rewards',
  attributes: z.strictObject({
    status: z.enum(promiseStatuses),
    rule_id: z.string(),
    rule_name: z.string(),
    /** Null if the viewer has disconnected Twitch. */
    viewer: z.strictObject({ display_name: z.string(), picture_url: z.string() }).nullable(),
    item: z.strictObject(kindFacts),
    promised_at: moment,
    claim_until: moment,
    claimed_at: momentOrNull,
    offer_sent_at: momentOrNull,
    delivered_at: momentOrNull,
    /** End of Steam’s protection time, which may be over. */
    final_at: momentOrNull,
    reversed_at: momentOrNull,
    transfer_id: z.string().nullable(),
    trade_offer_id: z.string().nullable(),
    /** Set once you have stopped the claim, or asked for it while its offer was on Steam. */
    stop_reason: stopReason,
    stop_asked_at: momentOrNull,
  }),
});

export const proofs = defineResource({
  type: 'proofs',
  attributes: z.strictObject({
    rule_name: z.string(),
    channel_name: z.string(),
    state: z.enum(ruleStates),
    commitment: z.string(),
    seed: z.string().nullable(),
    draws: count,
    /** The fingerprint of the latest draw, which covers all earlier ones. */
    fingerprint: z.string().nullable(),
    created_at: moment,
    closed_at: momentOrNull,
    stopped: stoppedCounts,
  }),
});

export const draws = defineResource({
  type: 'draws',
  attributes: z.strictObject({
    number: z.int(),
    twitch_id: z.string(),
    drawn_at: moment,
    candidates: z.array(
      z.strictObject({
        reward_id: z.string(),
        kind_id: kindId,
        app_id: z.int(),
        /**
         * For a special piece with its traits, one a line below the name; the fingerprint is made of this
         * text.
         */
        kind_name: z.string(),
        weight: z.int(),
        chance: z.number(),
      }),
    ),
    reward_id: z.string(),
    fingerprint: z.string(),
    /** The fingerprint of the previous draw, or the commitment for the first draw. */
    previous_fingerprint: z.string(),
    agrees: z.boolean(),
    /** The reason why the claim of the drawn reward was stopped; null if it was not. */
    stopped: stopReason,
  }),
});

export const dryRuns = defineResource({
  type: 'dry-runs',
  attributes: z.strictObject({
    days: count,
    viewers: count,
    meeting: count,
    registered: count,
    names: z.array(z.string()),
    at_once: count.nullable(),
    unread: z.array(z.enum(listedConditions.map(({ list }) => list.name))),
    nothing_known: z.boolean(),
    points_too: z.boolean(),
    streams_too: z.boolean(),
    pool: z.strictObject({ available: count, lasts_days: count.nullable() }),
  }),
});

export const notifications = defineResource({
  type: 'notifications',
  attributes: z.strictObject({
    kind: z.enum(announcements),
    subject_id: z.string(),
    at: moment,
  }),
});

/** All resource types of the API. */
export const resourceKinds = [
  users,
  plans,
  subscriptions,
  checkouts,
  billingPortals,
  planChanges,
  charges,
  steamAccounts,
  twitchAccounts,
  twitchSignIns,
  apiTokens,
  rules,
  ruleRewards,
  ruleCorrections,
  correctionPreviews,
  items,
  itemPieces,
  inventoryItems,
  transfers,
  openOffers,
  transferItems,
  rewardProgress,
  rewards,
  givenRewards,
  proofs,
  draws,
  raffles,
  raffleEntries,
  channels,
  channelListings,
  channelPages,
  dashboards,
  channelGuests,
  dryRuns,
  notifications,
] as const;
