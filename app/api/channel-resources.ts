import { z } from 'zod';
import { ruleTypes } from '#db/schema/rule.ts';
import { ruleFields } from './conditions.ts';
import { defineResource } from './resource.ts';
import { count, kindFacts, moment, momentOrNull, pool, stoppedCounts } from './shapes.ts';

export const channels = defineResource({
  type: 'channels',
  attributes: z.strictObject({
    login: z.string(),
    display_name: z.string(),
    picture_url: z.string(),
    live: z.boolean(),
  }),
});

export const channelListings = defineResource({
  type: 'channel-listings',
  attributes: channels.attributes.extend({
    game: z.string(),
    title: z.string(),
    last_seen_at: moment,
    open_rules: count,
    free_rewards: count,
    min_claim_timeout_hours: count,
    max_claim_timeout_hours: count,
  }),
});

export const dashboards = defineResource({
  type: 'dashboards',
  attributes: z.strictObject({
    period_days: z.int(),
    /** Rewards in rules now; of the reserved ones, `preparing` have no offer on Steam yet. */
    rewards_now: z.strictObject({
      free: count,
      promised: count,
      reserved: count,
      preparing: count,
      rules: count,
    }),
    /** The outcome of promises made in the period. */
    promises: z.strictObject({
      promised: count,
      claimed: count,
      timed_out: count,
      reversed: count,
      recalled: count,
    }),
    channel_id: z.string().nullable(),
    /** Followers and subscribers are null on days without a complete list. */
    days: z.array(
      z.strictObject({
        date: z.iso.date(),
        watch_seconds: count,
        followers: count.nullable(),
        subscribers: count.nullable(),
        redeemed: count,
        refunded: count,
      }),
    ),
  }),
});

export const channelPages = defineResource({
  type: 'channel-pages',
  attributes: z.strictObject({
    login: z.string(),
    display_name: z.string(),
    picture_url: z.string(),
    live: z.boolean(),
    live_since: momentOrNull,
    game: z.string(),
    title: z.string(),
    rules: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        /** Its owner has paused it, until `resumes_at` or until they resume it. */
        paused: z.boolean(),
        resumes_at: momentOrNull,
        rule_type: z.enum(ruleTypes),
        ...ruleFields,
        claim_timeout_hours: z.int(),
        pool: z.strictObject(pool),
        preparing: count,
        waiting: count,
      }),
    ),
    /** Counts the latest promises, at most 200; `stopped` counts all promises, up to 1000. */
    delivery_record: z.strictObject({
      promised: count,
      delivered: count,
      timed_out: count,
      reversed: count,
      under_way: count,
      median_seconds: count.nullable(),
      since: momentOrNull,
      is_whole: z.boolean(),
      stopped: stoppedCounts,
    }),
    latest_deliveries: z.array(
      z.strictObject({
        rule_name: z.string(),
        item: z.strictObject(kindFacts),
        /** Null for a viewer who hides their name. */
        viewer_name: z.string().nullable(),
        delivered_at: moment,
      }),
    ),
  }),
});

export const channelGuests = defineResource({
  type: 'channel-guests',
  attributes: z.strictObject({
    name: z.string().nullable(),
    picture_url: z.string(),
    admitted_at: moment,
    rules: count,
  }),
});
