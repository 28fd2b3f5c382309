import { z } from 'zod';
import { transferKinds, transferStates } from '#db/schema/transfer.ts';
import { defineResource } from './resource.ts';
import { bot, count, kindFacts, moment, momentOrNull } from './shapes.ts';

// The API's resources for trade offers.

export const transfers = defineResource({
  type: 'transfers',
  attributes: z.strictObject({
    kind: z.enum(transferKinds),
    state: z.enum(transferStates),
    own: z.boolean(),
    user_name: z.string(),
    rule_name: z.string().nullable(),
    created_at: moment,
    sent_at: momentOrNull,
    expires_at: momentOrNull,
    accepted_at: momentOrNull,
    settles_at: momentOrNull,
    cancel_wanted: z.boolean(),
    trade_offer_id: z.string().nullable(),
    security_code: z.string().nullable(),
    bot,
    steps: z.array(z.strictObject({ state: z.enum(transferStates), at: moment })),
  }),
  relationships: { items: { type: 'transfer-items', many: true } },
});

export const openOffers = defineResource({
  type: 'open-offers',
  attributes: z.strictObject({
    kind: z.enum(transferKinds),
    trade_offer_id: z.string(),
    security_code: z.string(),
    bot: z.strictObject({ name: z.string(), steam_id: z.string() }),
    /** The Steam account that it was sent to, whichever is connected now. */
    partner_steam_id: z.string(),
    rule_name: z.string().nullable(),
    channel_name: z.string().nullable(),
    /** Time at which the bot takes it back. */
    open_until: momentOrNull,
    items: z.array(
      z.strictObject({
        app_id: z.int(),
        asset_id: z.string(),
        amount: z.int().min(1),
        name: z.string(),
      }),
    ),
  }),
});

export const transferItems = defineResource({
  type: 'transfer-items',
  attributes: z.strictObject({ ...kindFacts, quantity: count }),
});
