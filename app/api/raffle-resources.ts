import { z } from 'zod';
import { passReasons, placeStates, raffleEnds, raffleStates } from '#db/schema/raffle.ts';
import { rewardStates } from '#db/schema/reward.ts';
import { ruleFields } from './conditions.ts';
import { defineResource } from './resource.ts';
import { count, moment, momentOrNull } from './shapes.ts';

// The API's resources for raffles in chat.

export const raffles = defineResource({
  type: 'raffles',
  attributes: z.strictObject({
    keyword: z.string(),
    state: z.enum(raffleStates),
    /** The reason why it was cancelled; null if it was not. */
    end_reason: z.enum(raffleEnds).nullable(),
    channel_id: z.string(),
    /** The name of the item; null once it is no longer on record. */
    item_name: z.string().nullable(),
    winners: count,
    minutes: z.number(),
    ...ruleFields,
    winners_out_days: count,
    moderators_may_enter: z.boolean(),
    claim_timeout_hours: z.int(),
    entries: count,
    /** The running hash of the list of entries; null before the start. */
    list_hash: z.string().nullable(),
    created_at: moment,
    started_at: momentOrNull,
    planned_end: momentOrNull,
    /** Time until which lines count; earlier than planned if its list was closed early. */
    entries_until: momentOrNull,
    sealed_at: momentOrNull,
    /** Time since when the hash of the closed list is in chat; null if it is not known that a chat took it. */
    announced_at: momentOrNull,
    drawn_at: momentOrNull,
    ended_at: momentOrNull,
  }),
});

export const raffleEntries = defineResource({
  type: 'raffle-entries',
  attributes: z.strictObject({
    number: z.int().min(1),
    twitch_id: z.string(),
    entered_at: moment,
    /** Null before the draw, as is its state. */
    place: z.int().min(1).nullable(),
    state: z.enum(placeStates).nullable(),
    /** The reason why its place got nothing. */
    passed: z.enum(passReasons).nullable(),
    /** The state of its reward; null if it has none. */
    reward: z.enum(rewardStates).nullable(),
  }),
});
