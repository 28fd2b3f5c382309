import { sql } from 'drizzle-orm';
import {
  bool,
  check,
  index,
  int,
  oneOf,
  primaryKey,
  sealed,
  table,
  text,
  uniqueIndex,
  within,
} from '#db/dialect.ts';
import { assetFacts } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { users } from '#db/schema/user.ts';

export const transferStates = [
  'queued',
  'sending',
  'uncertain',
  'unconfirmed',
  'sent',
  'escrowed',
  'accepted',
  'settled',
  'reversed',
  'declined',
  'expired',
  'cancelled',
  'failed',
] as const;
export type TransferState = (typeof transferStates)[number];
/** From the request until its items change hands or it ends without an exchange. */
export const liveTransferStates = [
  'queued',
  'sending',
  'uncertain',
  'unconfirmed',
  'sent',
  'escrowed',
] as const satisfies readonly TransferState[];
/** The receiver cannot see an offer on Steam yet. */
export const preparingTransferStates = [
  'queued',
  'sending',
  'uncertain',
  'unconfirmed',
] as const satisfies readonly TransferState[];
/** The items changed hands, even if Steam took that back later. */
export const deliveredTransferStates = [
  'accepted',
  'settled',
  'reversed',
] as const satisfies readonly TransferState[];
/** Counts against Steam's limits on outstanding offers. */
export const openOfferStates = [
  'sending',
  'uncertain',
  'unconfirmed',
  'sent',
  'escrowed',
] as const satisfies readonly TransferState[];
/** Facts that Steam may leave unclear of a transfer. `sendingUnknown`, `unconfirmed`: since its first attempt. */
export const unclearThings = [
  'sendingUnknown',
  'unconfirmed',
  'offerUnknown',
  'acceptedUnclear',
  'reversalUnclear',
] as const;
export type UnclearThing = (typeof unclearThings)[number];
export const transferKinds = ['deposit', 'return', 'claim'] as const;
export type TransferKind = (typeof transferKinds)[number];

/** A Steam trade offer. The table is its own outbox: the bot leases due rows. */
export const transfers = table(
  'transfers',
  {
    id: text('id').primaryKey(),
    kind: oneOf('kind', transferKinds).notNull(),
    state: oneOf('state', transferStates).notNull().default('queued'),
    /** The requester: the streamer of a deposit or return, the viewer of a claim. */
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    botId: text('bot_id')
      .notNull()
      .references(() => bots.id),
    rewardId: text('reward_id').references(() => rewards.id),
    /**
     * Set for a claim: the owner of the reward's rule, who never changes. A list of all claims on their rules
     * is read from an index.
     */
    ruleOwnerId: text('rule_owner_id').references(() => users.id),
    /** The deposit of which this is one offer of several; null for a deposit of one offer. */
    batchId: text('batch_id'),
    /** Snapshot of the other side; a later change of the trade link does not redirect an offer. */
    partnerSteamId: text('partner_steam_id').notNull(),
    /** Sealed, and removed as soon as the offer is on Steam or ends. */
    tradeToken: sealed('trade_token', 'transfers.trade_token').notNull(),
    /** Written into the offer's message, so that we and the receiver can identify the offer. */
    securityCode: text('security_code').notNull(),
    offerId: text('offer_id'),
    tradeId: text('trade_id'),
    attempts: int('attempts').notNull().default(0),
    lastError: text('last_error'),
    runAtMs: int('run_at_ms').notNull(),
    /** Set for a claim whose rule delays its items: time before which it is not sent. */
    sendsFromMs: int('sends_from_ms'),
    leaseHolder: text('lease_holder'),
    leaseUntilMs: int('lease_until_ms').notNull().default(0),
    /** Complete polls that did not find the offer since its send result was lost. */
    cleanPolls: int('clean_polls').notNull().default(0),
    createdAtMs: int('created_at_ms').notNull(),
    sentAtMs: int('sent_at_ms'),
    expiresAtMs: int('expires_at_ms'),
    /** Set for a queued claim: time since when each question to Twitch about it has gone unanswered. */
    silentSinceMs: int('silent_since_ms'),
    /** Time at which an unanswered offer is cancelled. */
    givenBackMs: int('given_back_ms').notNull().default(0),
    /** Time at which an unanswered offer is cancelled. */
    cancelAtMs: int('cancel_at_ms'),
    cancelWanted: bool('cancel_wanted').notNull().default(false),
    acceptedAtMs: int('accepted_at_ms'),
    /** Until then the receiver can reverse the trade. */
    settlesAtMs: int('settles_at_ms'),
    /** Set while Steam leaves something unclear of it: what, and since when. Domain time. */
    unclear: oneOf('unclear', unclearThings),
    unclearSinceMs: int('unclear_since_ms'),
  },
  (t) => [
    uniqueIndex('transfers_one_live_per_reward')
      .on(t.rewardId)
      .where(sql`reward_id is not null and ${within(sql`state`, liveTransferStates)}`),
    uniqueIndex('transfers_offer').on(t.offerId).where(sql`offer_id is not null`),
    index('transfers_due').on(t.botId, t.state, t.runAtMs).where(within(sql`state`, liveTransferStates)),
    index('transfers_settling').on(t.botId, t.settlesAtMs).where(sql`state = 'accepted'`),
    index('transfers_delivered_claims')
      .on(t.botId, t.state)
      .where(sql`kind = 'claim' and ${within(sql`state`, deliveredTransferStates)}`),
    index('transfers_unclear').on(t.botId, t.unclearSinceMs).where(sql`unclear_since_ms is not null`),
    index('transfers_user').on(t.userId, t.id),
    index('transfers_user_live').on(t.userId, t.id).where(within(sql`state`, liveTransferStates)),
    index('transfers_rule_owner').on(t.ruleOwnerId, t.id).where(sql`rule_owner_id is not null`),
    index('transfers_rule_owner_live')
      .on(t.ruleOwnerId, t.id)
      .where(sql`rule_owner_id is not null and ${within(sql`state`, liveTransferStates)}`),
    index('transfers_reward').on(t.rewardId, t.id).where(sql`reward_id is not null`),
    check('transfers_state', within(t.state, transferStates)),
    check('transfers_kind', within(t.kind, transferKinds)),
  ],
);

/**
 * The exact assets of a transfer. For a deposit they are requested from the streamer; item rows are created when it
 * is accepted.
 */
export const transferItems = table(
  'transfer_items',
  {
    transferId: text('transfer_id')
      .notNull()
      .references(() => transfers.id),
    ...assetFacts(),
    itemId: text('item_id').references(() => items.id),
    /** The asset's id after the exchange; Steam assigns a new one with every trade. */
    newAssetId: text('new_asset_id'),
    newContextId: text('new_context_id'),
    /** True while its transfer is live: an asset is in at most one open offer. */
    open: bool('open').notNull().default(true),
  },
  (t) => [
    primaryKey({ columns: [t.transferId, t.appId, t.assetId] }),
    uniqueIndex('transfer_items_one_open_offer_per_asset').on(t.appId, t.assetId).where(sql`${t.open}`),
    index('transfer_items_item').on(t.itemId),
  ],
);

/** A transfer's life, step by step, for the timeline. */
export const transferSteps = table(
  'transfer_steps',
  {
    id: text('id').primaryKey(),
    transferId: text('transfer_id')
      .notNull()
      .references(() => transfers.id),
    state: oneOf('state', transferStates).notNull(),
    event: text('event').notNull(),
    detail: text('detail'),
    atMs: int('at_ms').notNull(),
  },
  (t) => [index('transfer_steps_transfer').on(t.transferId, t.id)],
);
