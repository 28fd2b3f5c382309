import { accountRefusals, type RefusalText } from '#app/services/forms/refusals.server.ts';
import type { InventoryRefusal } from '#app/services/items/inventory.server.ts';
import type { AdmitRefusal } from '#domain/audience/admit-guest.ts';
import type { ExclusionRefusal } from '#domain/channel/set-excluded-logins.ts';
import type { ClaimRefusal } from '#domain/claim/claim-reward.ts';
import type { StopRefusal } from '#domain/claim/stop-claim.ts';
import type { EndFreezeRefusal } from '#domain/freeze/end-freeze.ts';
import type { AttachRefusal } from '#domain/rule/attach-rewards.ts';
import type { RuleRefusal } from '#domain/rule/create-rule.ts';
import type { DetachRefusal } from '#domain/rule/detach-rewards.ts';
import type { WeightRefusal } from '#domain/rule/set-kind-weights.ts';
import type { DepositRefusal } from '#domain/transfer/request-deposit.ts';
import type { ReturnRefusal } from '#domain/transfer/return-items.ts';

/** A form that our pages cannot send. */
export const malformed: RefusalText = { status: 400, key: 'errors.trade.malformed' };

/** Neither the inventory nor a part of it can be shown: its owner, Steam, or the bot that asks it. */
export const inventoryRefusals: Record<InventoryRefusal, RefusalText> = {
  inventoryPrivate: { status: 409, key: 'errors.trade.inventoryPrivate' },
  inventoryTooOften: { status: 429, key: 'errors.trade.inventoryTooOften' },
  inventoryBusy: { status: 503, key: 'errors.trade.inventoryBusy' },
  inventoryIncomplete: { status: 503, key: 'errors.trade.inventoryIncomplete' },
  botSilent: { status: 503, key: 'errors.unavailable.bot' },
  inventoryUnavailable: { status: 503, key: 'errors.unavailable.steam' },
};

const { steamNotLinked, twitchNotLinked } = accountRefusals;
/** A limit of the plan, with the plan that would lift it. */
const limitReached = (
  limit: 'claimLimit' | 'ruleLimit' | 'rewardLimit' | 'otherChannelsLimit',
): RefusalText => ({
  status: 409,
  key: 'errors.subscription.limitReached',
  hint: `errors.subscription.lifted.${limit}`,
});
const tradeLinkMissing: RefusalText = { status: 409, key: 'errors.tradeLink.missing' };

/** Refusals of any offer that a streamer requests. */
const offerRefusals = {
  nothingPicked: { status: 400, key: 'errors.trade.nothingPicked' },
  tooManyItems: { status: 400, key: 'errors.trade.tooManyItems' },
  steamNotLinked,
  tradeLinkMissing,
} as const;

export const depositRefusals: Record<DepositRefusal | 'assetMissing', RefusalText> = {
  ...offerRefusals,
  tooManyItems: { status: 400, key: 'errors.trade.depositTooLarge' },
  noBotAvailable: { status: 503, key: 'errors.trade.noBotAvailable' },
  botsFull: { status: 409, key: 'errors.trade.botsFull' },
  noStackRoom: { status: 409, key: 'errors.trade.noStackRoom' },
  stackPlacesTooOften: { status: 429, key: 'errors.trade.stackPlacesTooOften' },
  tooManyDeposits: { status: 409, key: 'errors.trade.tooManyDeposits' },
  depositsTooOften: { status: 429, key: 'errors.trade.depositsTooOften' },
  assetBusy: { status: 409, key: 'errors.trade.assetBusy' },
  assetMissing: { status: 409, key: 'errors.trade.assetMissing' },
};

const accountFrozen: RefusalText = { status: 409, key: 'errors.account.frozen' };
const steamChangedRecently: RefusalText = { status: 409, key: 'errors.trade.steamChangedRecently' };

export const returnRefusals: Record<ReturnRefusal, RefusalText> = {
  ...offerRefusals,
  itemUnavailable: { status: 409, key: 'errors.trade.itemUnavailable' },
  steamChangedRecently,
  accountFrozen,
  identityUnconfirmed: accountRefusals.identityUnconfirmed,
};

/** Invalid pools and weights of a rule. */
const rewardRefusals = {
  ruleClosed: { status: 409, key: 'errors.rule.closed' },
  notRandom: { status: 409, key: 'errors.rule.notRandom' },
  weightOutOfBounds: { status: 400, key: 'errors.rule.weight' },
  weightsDiffer: { status: 400, key: 'errors.rule.weightsDiffer' },
} as const;
const notEnough: RefusalText = { status: 409, key: 'errors.rule.notEnough' };

export const ruleRefusals: Record<RuleRefusal, RefusalText> = {
  noCondition: { status: 400, key: 'errors.rule.noCondition' },
  twitchNotLinked,
  twitchRestricted: { status: 409, key: 'errors.twitch.broken' },
  pointsPermissionMissing: { status: 409, key: 'errors.twitch.points' },
  channelMissing: { status: 409, key: 'errors.twitch.missing' },
  twitchPermissionsMissing: { status: 409, key: 'errors.twitch.missingPermissions' },
  steamNotLinked,
  paidDraw: { status: 409, key: 'errors.rule.paidDraw' },
  notAdmitted: { status: 409, key: 'errors.rule.notAdmitted' },
  channelUnavailable: { status: 409, key: 'errors.rule.channelUnavailable' },
  lastStreamsTooFew: { status: 422, key: 'errors.rule.lastStreamsTooFew' },
  pointsElsewhere: { status: 409, key: 'errors.rule.pointsElsewhere' },
  otherChannelsLimit: limitReached('otherChannelsLimit'),
  ruleLimit: limitReached('ruleLimit'),
  requestUsed: malformed,
  notRandom: rewardRefusals.notRandom,
  weightOutOfBounds: rewardRefusals.weightOutOfBounds,
  weightsDiffer: rewardRefusals.weightsDiffer,
  rewardLimit: limitReached('rewardLimit'),
  steamChangedRecently,
  accountFrozen,
  notEnough,
};

export const admitRefusals: Record<AdmitRefusal, RefusalText> = {
  twitchNotLinked,
  strangerLogin: { status: 404, key: 'errors.guest.stranger' },
  ownLogin: { status: 409, key: 'errors.guest.own' },
};

export const exclusionRefusals: Record<ExclusionRefusal, RefusalText> = {
  twitchNotLinked,
  loginInvalid: { status: 400, key: 'errors.guest.login' },
  tooMany: { status: 400, key: 'errors.guest.tooMany' },
};

export const poolRefusals: Record<Exclude<AttachRefusal | DetachRefusal, 'notFound'>, RefusalText> = {
  ...rewardRefusals,
  nothingPicked: { status: 400, key: 'errors.rule.noQuantity' },
  rewardLimit: limitReached('rewardLimit'),
  steamChangedRecently,
  accountFrozen,
  notEnough,
};

export const weightRefusals: Record<Exclude<WeightRefusal, 'notFound'>, RefusalText> = {
  ...rewardRefusals,
  kindUnknown: { status: 409, key: 'errors.rule.kindUnknown' },
};

export const claimRefusals: Record<Exclude<ClaimRefusal, 'notFound'>, RefusalText> = {
  timedOut: { status: 409, key: 'errors.reward.timedOut' },
  alreadyClaimed: { status: 409, key: 'errors.reward.alreadyClaimed' },
  steamNotLinked,
  tradeLinkMissing,
  claimLimit: limitReached('claimLimit'),
  itemUnavailable: { status: 409, key: 'errors.reward.itemUnavailable' },
  claimFrozen: { status: 409, key: 'errors.reward.claimFrozen' },
  claimPaused: { status: 409, key: 'errors.reward.claimPaused' },
  steamIdUsed: { status: 409, key: 'errors.reward.steamIdUsed' },
};

export const freezeRefusals: Record<EndFreezeRefusal, RefusalText> = {
  identityUnconfirmed: accountRefusals.identityUnconfirmed,
  choiceMissing: { status: 400, key: 'errors.account.freezeChoice' },
};

export const stopRefusals: Record<Exclude<StopRefusal, 'notFound'>, RefusalText> = {
  claimAccepted: { status: 409, key: 'errors.reward.claimAccepted' },
  claimEnded: { status: 409, key: 'errors.reward.claimEnded' },
};

export const cancelRefusals: Record<'tooLate', RefusalText> = {
  tooLate: { status: 409, key: 'errors.transfer.tooLate' },
};
