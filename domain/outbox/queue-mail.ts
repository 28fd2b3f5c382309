import type { Answer, Tx } from '#db/database.ts';
import type {
  BillingActKind,
  BillingPeriod,
  PaidTier,
  Product,
  SubscriptionProblem,
} from '#db/schema/billing.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import type { StopReason } from '#db/schema/reward.ts';
import type { UnclearThing } from '#db/schema/transfer.ts';
import type { Locale } from '#db/schema/user.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';

/** The things that a mail shows besides its words. Read when it is sent. */
interface Shown {
  /** Steam's `icon_url` of the item, the tag of its rarity, and Steam's name for its type. */
  icon?: string;
  rarity?: string;
  itemKind?: string;
  /** The receiver's time zone; UTC if unknown. */
  timeZone?: string;
}

type RewardFacts = { name: string; item: string; channel: string; rule: string; rewardId: string } & Shown;

/**
 * The changes that an account's owner is always notified of, so that they notice if somebody else made them.
 */
export type AccountChange =
  | 'steamLinked'
  | 'steamUnlinked'
  | 'twitchLinked'
  | 'tradeLinkChanged'
  | 'tokenIssued'
  | 'tokenGives'
  | 'sessionGives'
  | 'dockGives'
  | 'passwordChanged'
  | 'authenticatorOn'
  | 'authenticatorOff'
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'recoveryCodesRenewed'
  | 'recoveryCodeUsed'
  | 'codesGuessed'
  | 'secondFactorRemoved'
  | 'returnElsewhere'
  | 'rulesClosed'
  | 'sendDelayLowered'
  | 'twitchUnlinked'
  | 'newBrowser'
  | 'freezeEnded';

/**
 * The way in which somebody signed in. A second factor follows the password or Twitch; a passkey alone
 * replaces all three.
 */
export type SignInWay = 'password' | 'twitch' | 'secondFactor' | 'passkey';

/**
 * The reasons why a claim can end without delivery.
 * - `refused`: Steam or the bot refused the offer; `reason` is one of our own error codes.
 * - `declined`: the viewer declined it or countered it, which Steam treats alike.
 * - `notAccepted`: nobody answered the offer in time, or while others waited for its place.
 * - `delayed`: we did not confirm the offer in time, so the viewer never saw it.
 * - `unanswered`: Twitch did not say in time whether the conditions still hold.
 * - `withdrawn`: the viewer cancelled the claim.
 */
export type ClaimFailure =
  | { kind: 'refused'; reason: string }
  | { kind: 'declined' | 'notAccepted' | 'delayed' | 'unanswered' | 'withdrawn' };

/** The reasons why a transfer concerns the operator. */
export type TransferConcern = UnclearThing | 'overdue' | 'escrowed' | 'tradeUnknown' | 'unsettled';

/** The ways in which a bot's inventory can differ from the items that it should hold. */
export type InventoryConcern = 'missing' | 'unknown';

/** Facts of a sign-in for the letter about a new browser. `browser` and `system` are empty if unknown. */
export interface SignInFacts {
  by: SignInWay;
  browser: string;
  system: string;
  atMs: string;
  timeZone?: string;
}

/** All mail templates with the values their texts need. */
export interface MailValues {
  /** To an address that may be a stranger's, so it contains nothing that the user wrote. */
  verifyEmail: { token: string };
  /** With the name only to a verified address. */
  resetPassword: { name?: string; email: string; token: string };
  /** To the new address, which is not confirmed yet. */
  changeEmail: { email: string; token: string };
  /** To the old address when the change is requested. */
  emailChangeAsked: { name: string; email: string };
  /** To the old address after the change. */
  emailChanged: { name: string; email: string };
  /** To the owner of an address that another user tried to change to; with the name only if it is verified. */
  emailWanted: { name?: string; email: string };
  /**
   * To an account's owner: something that protects its items was changed. `steam` is the account it concerns; `token` is
   * that of the link “This wasn't me”.
   */
  accountChanged: {
    name: string;
    change: AccountChange;
    steam?: string;
    token?: string;
  } & Partial<SignInFacts>;
  /** To a sender who contacted the operator without other proof of identity. */
  confirmMessage: { token: string };
  /** To the operator. `confirmed` is `yes` or `no`: whether the sender controls the address. */
  contactMessage: { name: string; email: string; message: string; confirmed: string };
  /** To a broadcaster whose grant lost a permission; `rules` is how many rules were paused. */
  twitchRestricted: { name: string; channel: string; rules: string };
  /** To a streamer whose channel Twitch no longer shows: it is suspended or deleted. */
  channelMissing: { name: string; channel: string; rules: string };
  /** To a broadcaster with a rule for subscribers whose channel cannot have any. */
  noSubscribers: { name: string; channel: string };
  /** To a streamer whose rule asks for channel points on a channel that cannot have custom rewards. */
  noChannelPoints: { name: string; channel: string; rule: string; ruleId: string };
  /** To a broadcaster in whose chat the bot's lines have not arrived for a day; `fault` is that of when it is sent. */
  chatTrouble: {
    name: string;
    channel: string;
    channelId: string;
    fault: ChatFault;
    sinceMs: string;
    timeZone?: string;
  };
  /** To a streamer whose custom reward's words Twitch's AutoMod refuses. */
  rewardWordsRefused: { name: string; channel: string; rule: string; ruleId: string };
  /** To a streamer who paused a rule a day ago, without an end. */
  rulePaused: { name: string; channel: string; rule: string; ruleId: string };
  /** To the rule's owner: the viewer accepted before the offer could be cancelled and has the points back too. */
  deliveredWithoutPoints: { name: string; viewer: string; item: string; rule: string; ruleId: string };
  /** For a drawn reward also its proof (rule and draw number) and the fingerprint to save. */
  rewardPromised: {
    name: string;
    item: string;
    channel: string;
    rule: string;
    claimUntilMs: string;
    /** Set if it is not sent at once. */
    sendsFromMs?: string;
    rewardId: string;
    proof?: string;
    fingerprint?: string;
  } & Shown;
  /** To a viewer whose promise ends soon; the hours left are computed when it is sent. */
  claimReminder: RewardFacts & { claimUntilMs: string; hours?: string };
  /** To a viewer who has the item. */
  rewardDelivered: RewardFacts & { deliveredMs: string; code: string };
  /** To a streamer whose deposited items can be used; their number is computed when it is sent. */
  itemsUsable: { name: string; transferId: string; count?: string } & Shown;
  /** To a viewer whose claim failed; with `claimUntilMs` they can claim again, without it the promise ended. */
  claimFailed: RewardFacts & { why: Exclude<ClaimFailure['kind'], 'withdrawn'>; claimUntilMs?: string };
  /** To a viewer whose promise ended because the item's deposit was reversed on Steam. */
  depositReversed: { name: string; item: string; channel: string; rule: string };
  /** To a viewer whose promise ended because the item was lost in custody. */
  itemLost: { name: string; item: string; channel: string; rule: string };
  /** To a viewer: the owner of the rule stopped their claim. */
  claimStopped: { name: string; item: string; channel: string; rule: string; reason: StopReason };
  /** To the rule's owner: the viewer accepted the offer before the claim could be stopped. */
  stoppedTooLate: { name: string; viewer: string; item: string; rule: string };
  /** To a subscriber whose payment failed. */
  paymentFailed: { name: string; product: Product; tier: PaidTier; untilMs: string };
  /** To a subscriber whose trial ends soon, and is paid for then. */
  trialEnds: {
    name: string;
    product: Product;
    tier: PaidTier;
    period: BillingPeriod;
    price: string;
    currency: string;
    endsMs: string;
  };
  /** To the operator: an audit found items that the ledger does not lead to; `items` is how many. */
  custodyDrift: { items: string };
  /** To the operator: `amount` items are missing from a bot's inventory, or assets in it belong to nobody. */
  inventoryDiffers: { bot: string; concern: InventoryConcern; amount: string };
  /** To the operator: `amount` transfers of a bot have been unclear at Steam for almost an hour; `ids` are the first. */
  transfersUnclear: { bot: string; trouble: TransferConcern; amount: string; ids: string };
  /** To the operator: Steam refused offers of a bot, the last with the words in `said`; sending pauses for `minutes`. */
  offersRefused: { bot: string; said: string; times: string; minutes: string };
  /** To the operator: a payment was disputed or paid back, and its subscription was cancelled; or a bank asks about it. */
  paymentReversed: { why: 'dispute' | 'refund' | 'inquiry'; customer: string; subscription: string };
  /** To the operator: an act for a customer at Stripe failed, and is tried again. */
  customerFailed: { customer: string };
  /** To the operator: Stripe refused a request of ours; `why` is Stripe's answer. */
  stripeRefused: { what: string; why: string };
  /** To the operator: a request to Stripe has not succeeded for a day; `why` is its last answer. */
  billingActStuck: { kind: BillingActKind; subject: string; why: string; untilMs: string };
  /** To the operator: Stripe names a status or a price that this version does not know. */
  subscriptionUnreadable: { why: SubscriptionProblem; subscription: string };
  /** To the operator: a subscription of ours charges for something else besides. */
  subscriptionHasMore: { subscription: string };
}
export type MailTemplate = keyof MailValues;
export type MailToQueue = {
  [T in MailTemplate]: {
    recipient: string;
    locale: Locale;
    template: T;
    values: MailValues[T];
    /** Time to send it; at once if omitted. */
    runAtMs?: number;
    /** For a caller that checks later whether it was sent; a new one if omitted. */
    id?: string;
  };
}[MailTemplate];

const insertMails = insertManyInto(mails, 'mails');

/** Queues mails in the action's own transaction, so they are sent if and only if it commits. */
export const queueMails = (tx: Tx, queued: readonly MailToQueue[], nowMs: number): Answer<unknown> =>
  insertMails(
    tx,
    queued.map(({ id = newId(nowMs), recipient, template, locale, values, runAtMs = nowMs }) => ({
      id,
      recipient,
      template,
      locale,
      values: values as Record<string, string>,
      createdAtMs: nowMs,
      runAtMs,
    })),
  );

/** Queues one mail; see `queueMails`. */
export const queueMail = (tx: Tx, mail: MailToQueue, nowMs: number): Answer<unknown> =>
  queueMails(tx, [mail], nowMs);
