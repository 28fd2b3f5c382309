import type { InventoryKind } from '#app/services/items/inventory-kinds.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { WornPiece } from '#app/services/items/worn-pieces.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import type { CustodyAmounts, CustodyKind } from '#domain/item/list-custody.ts';
import type { LiveEvent } from '#domain/outbox/read-events.ts';
import type { LastRedemption } from '#domain/redemption/list-last-redemptions.ts';
import type { CorrectionMode } from '#domain/rule/correction-mode.ts';
import type { ListedCorrection, RuleValues } from '#domain/rule/list-corrections.ts';
import type { RewardKind } from '#domain/rule/list-rule-rewards.ts';
import type { ListedRule } from '#domain/rule/list-rules.ts';
import type { CorrectionPreview } from '#domain/rule/preview-correction.ts';
import type { WholeTransfer } from '#domain/transfer/list-transfers.ts';
import type { DryRun } from '#domain/view/dry-run.ts';
import type { DrawProof, RuleProof } from '#domain/view/get-proof.ts';
import type { GivenReward } from '#domain/view/list-given-rewards.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import type { OwnOffer } from '#domain/view/list-own-offers.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { presentAsked, presentOwnerFacts, presentProgress } from './conditions.ts';
import { isoOf, isoOrNull, kindFacts, pictureOf, stoppedOf } from './present-facts.server.ts';
import type { Resource } from './resource.ts';
import * as kinds from './resources.ts';

// Converts the domain's read models to resources: API names, times as ISO 8601.

export function linkedAccounts({
  steam,
  twitch,
}: Account): Record<'steamAccount' | 'twitchAccount', Resource | null> {
  return {
    steamAccount:
      steam &&
      kinds.steamAccounts.of(steam.steamId, { persona_name: steam.personaName, trade_link: steam.tradeLink }),
    twitchAccount:
      twitch &&
      kinds.twitchAccounts.of(twitch.id, {
        login: twitch.login,
        display_name: twitch.displayName,
        picture_url: twitch.pictureUrl,
        state: twitch.state,
        missing_permissions: twitch.missingScopes,
        streaming_features_enabled: twitch.streamingFeaturesEnabled,
      }),
  };
}

export function userResource(account: Account): Resource {
  const { id, name, email, verified, locale, theme, notifyByMail } = account;
  const sendDelay = {
    hours: account.sendDelayHours,
    next_hours: account.nextSendDelayHours,
    next_at: isoOrNull(account.nextSendDelayAtMs),
  };
  const settings = { language: locale, theme, notify_by_mail: notifyByMail, send_delay: sendDelay };
  const attributes = { name, email, verified, settings };
  return kinds.users.of(id, attributes, linkedAccounts(account));
}

export function ruleResource(rule: ListedRule, rewards?: readonly RewardKind[]): Resource {
  return kinds.rules.of(
    rule.id,
    {
      name: rule.name,
      rule_type: rule.type,
      state: rule.state,
      pause_reason: rule.pauseReason,
      paused_since: isoOrNull(rule.pausedAtMs),
      resumes_at: isoOrNull(rule.resumesAtMs),
      frozen_since: isoOrNull(rule.frozenAtMs),
      channel_id: rule.channelId,
      channel_name: rule.channelName,
      ...presentAsked(rule),
      ...presentOwnerFacts(rule),
      claim_timeout_hours: rule.claimTimeoutHours,
      send_delay_hours: rule.sendDelayHours,
      pool: rule.pool,
      preparing: rule.preparing,
      waiting: rule.waiting,
      created_at: isoOf(rule.createdAtMs),
      closed_at: isoOrNull(rule.closedAtMs),
    },
    rewards && { rewards: rewards.map((kind) => ruleRewardResource(rule.id, kind)) },
  );
}

const presentValues = ({ name, type, claimTimeoutHours, ...asked }: RuleValues) => ({
  name,
  rule_type: type,
  ...presentAsked(asked),
  claim_timeout_hours: claimTimeoutHours,
});

export function correctionResource({ id, before, after, ...correction }: ListedCorrection): Resource {
  const { succession } = correction;
  return kinds.ruleCorrections.of(id, {
    corrected_at: isoOf(correction.atMs),
    after_draw: correction.afterDraw,
    before: presentValues(before),
    after: presentValues(after),
    succession: succession && { rule_id: succession.ruleId, is: succession.is },
  });
}

export const correctionPreviewResource = (
  id: string,
  preview: CorrectionPreview & { mode: CorrectionMode },
  nowMs: number,
): Resource => kinds.correctionPreviews.of(id, { ...preview, counted_at: isoOf(nowMs) });

export function ruleRewardResource(ruleId: string, kind: RewardKind): Resource {
  const { free, promised, reserved, preparing, claimed, recalled, weight } = kind;
  const amounts = { free, promised, reserved, preparing, claimed, recalled };
  const attributes = { ...kindFacts(kind), ...amounts, weight };
  return kinds.ruleRewards.of(`${ruleId}:${kindKey(kind)}`, attributes);
}

export const amountsOf = (amounts: CustodyAmounts) => ({
  total: amounts.total,
  available: amounts.available,
  unavailable: amounts.inCooldown + amounts.moving + amounts.missing,
  in_cooldown: amounts.inCooldown,
  cooldown_until: isoOrNull(amounts.firstUnlockMs || null),
  assigned: amounts.assigned,
  moving: amounts.moving,
  missing: amounts.missing,
});

export function itemResource(kind: CustodyKind): Resource {
  const attributes = { ...kindFacts(kind), rarity_color: kind.rarityColor, ...amountsOf(kind) };
  return kinds.items.of(kindKey(kind), attributes);
}

export function pieceResource({ key, available, ...piece }: WornPiece): Resource {
  return kinds.itemPieces.of(key, { ...kindFacts(piece), available });
}

export function inventoryResource(kind: InventoryKind): Resource {
  return kinds.inventoryItems.of(kind.key, {
    ...kindFacts(kind),
    pieces: kind.pieces,
    available: kind.available,
    off_reason: kind.offReason,
    protected_until: isoOrNull(kind.protectedUntilMs),
  });
}

export function transferResource(transfer: WholeTransfer): Resource {
  const items = transfer.items.map((item) =>
    kinds.transferItems.of(`${transfer.id}:${kindKey(item)}`, {
      ...kindFacts(item),
      quantity: item.quantity,
    }),
  );
  return kinds.transfers.of(
    transfer.id,
    {
      kind: transfer.kind,
      state: transfer.state,
      own: transfer.own,
      user_name: transfer.userName,
      rule_name: transfer.ruleName,
      created_at: isoOf(transfer.createdAtMs),
      sent_at: isoOrNull(transfer.sentAtMs),
      expires_at: isoOrNull(transfer.expiresAtMs),
      accepted_at: isoOrNull(transfer.acceptedAtMs),
      settles_at: isoOrNull(transfer.settlesAtMs),
      cancel_wanted: transfer.cancelWanted,
      trade_offer_id: transfer.offerId,
      security_code: transfer.securityCode,
      bot: { name: transfer.bot.name, steam_id: transfer.bot.steamId },
      steps: transfer.steps.map(({ state, atMs }) => ({ state, at: isoOf(atMs) })),
    },
    { items },
  );
}

export const openOfferResource = (offer: OwnOffer): Resource =>
  kinds.openOffers.of(offer.transferId, {
    kind: offer.kind,
    trade_offer_id: offer.offerId,
    security_code: offer.securityCode,
    bot: { name: offer.bot.name, steam_id: offer.bot.steamId },
    partner_steam_id: offer.partnerSteamId,
    rule_name: offer.ruleName,
    channel_name: offer.channelName,
    open_until: isoOrNull(offer.cancelAtMs),
    items: offer.items.map(({ appId, assetId, amount, name }) => ({
      app_id: appId,
      asset_id: assetId,
      amount,
      name,
    })),
  });

const redemptionOf = (last: LastRedemption | null) =>
  last && {
    redeemed_at: isoOf(last.redeemedAtMs),
    points: last.points,
    refund_reason: last.refundReason,
  };

export function progressResource(row: RuleProgress): Resource {
  return kinds.rewardProgress.of(
    row.ruleId,
    {
      rule_name: row.ruleName,
      rule_type: row.ruleType,
      status: row.status,
      ...presentProgress(row.asked, row.progress),
      redemption: redemptionOf(row.redemption),
      chances: row.chances.map(({ chance, ...kind }) => ({
        kind_id: kindKey(kind),
        app_id: kind.appId,
        market_hash_name: kind.marketHashName,
        chance,
      })),
      met: row.progress.met,
      free_rewards: row.freeRewards,
      claim_timeout_hours: row.claimTimeoutHours,
      next_item: row.nextItem && { name: row.nextItem.name, icon_url: pictureOf(row.nextItem.iconUrl) },
      in_line: row.inLine,
      in_chat: row.presence && {
        is: row.presence.is,
        looked_at: isoOrNull(row.presence.lookedAtMs),
        reason: row.presence.is === 'uncounted' ? row.presence.reason : null,
      },
      gaps: row.gaps.map(({ fromMs, untilMs, reason }) => ({
        from: isoOf(fromMs),
        until: isoOf(untilMs),
        reason,
      })),
    },
    { channel: channelOf(row.channel) },
  );
}

/** A channel as progress and rewards refer to it; the channel list has more attributes. */
const channelOf = ({ id, login, displayName, pictureUrl, live }: MyReward['channel']): Resource =>
  kinds.channels.of(id, { login, display_name: displayName, picture_url: pictureUrl, live });

export function givenRewardResource(given: GivenReward): Resource {
  const { viewer } = given;
  return kinds.givenRewards.of(given.id, {
    status: given.status,
    rule_id: given.ruleId,
    rule_name: given.ruleName,
    viewer: viewer && { display_name: viewer.displayName, picture_url: viewer.pictureUrl },
    item: kindFacts(given.item),
    promised_at: isoOf(given.promisedAtMs),
    claim_until: isoOf(given.claimUntilMs),
    claimed_at: isoOrNull(given.claimedAtMs),
    offer_sent_at: isoOrNull(given.sentAtMs),
    delivered_at: isoOrNull(given.deliveredAtMs),
    final_at: isoOrNull(given.settlesAtMs),
    reversed_at: isoOrNull(given.reversedAtMs),
    transfer_id: given.transferId,
    trade_offer_id: given.offerId,
    stop_reason: given.stopReason,
    stop_asked_at: isoOrNull(given.stopAskedAtMs),
  });
}

export function rewardResource(reward: MyReward): Resource {
  const { offer } = reward;
  return kinds.rewards.of(
    reward.id,
    {
      state: reward.state,
      rule_name: reward.ruleName,
      item: kindFacts(reward.item),
      claim_timeout_hours: reward.claimTimeoutHours,
      promised_at: isoOf(reward.promisedAtMs),
      claim_until: isoOf(reward.claimUntilMs),
      sends_from: isoOrNull(reward.sendsFromMs),
      claim_paused_until: isoOrNull(reward.pausedUntilMs),
      claim_frozen_since: isoOrNull(reward.frozenAtMs),
      claim_shifted_seconds: Math.floor(reward.claimShiftedMs / 1000),
      outages: reward.outages.map(({ fromMs, untilMs }) => ({
        from: isoOf(fromMs),
        until: isoOf(untilMs),
      })),
      redemption: redemptionOf(reward.redemption),
      claimed_at: isoOrNull(reward.claimedAtMs),
      recall_reason: reward.recallReason,
      stop_reason: reward.stopReason,
      rule_id: reward.ruleId,
      draw_number: reward.drawNumber,
      offer: offer && {
        transfer_id: offer.transferId,
        state: offer.state,
        trade_offer_id: offer.offerId,
        security_code: offer.securityCode,
        sent_at: isoOrNull(offer.sentAtMs),
        bot: { name: offer.bot.name, steam_id: offer.bot.steamId },
      },
    },
    { channel: channelOf(reward.channel) },
  );
}

export function proofResource(proof: RuleProof): Resource {
  return kinds.proofs.of(proof.ruleId, {
    rule_name: proof.ruleName,
    channel_name: proof.channelName,
    state: proof.state,
    commitment: proof.commitment,
    seed: proof.seed,
    draws: proof.draws,
    fingerprint: proof.head?.fingerprint ?? null,
    created_at: isoOf(proof.createdAtMs),
    closed_at: isoOrNull(proof.closedAtMs),
    stopped: stoppedOf(proof.stopped),
  });
}

export function drawResource(ruleId: string, draw: DrawProof): Resource {
  return kinds.draws.of(`${ruleId}:${draw.number}`, {
    number: draw.number,
    twitch_id: draw.twitchId,
    drawn_at: isoOf(draw.drawnAtMs),
    candidates: draw.candidates.map(({ rewardId, appId, marketHashName: kindName, weight, chance }) => ({
      reward_id: rewardId,
      kind_id: kindKey({ appId, marketHashName: kindName }),
      app_id: appId,
      kind_name: kindName,
      weight,
      chance,
    })),
    reward_id: draw.rewardId,
    fingerprint: draw.fingerprint,
    previous_fingerprint: draw.previousFingerprint,
    agrees: draw.agrees,
    stopped: draw.stopped,
  });
}

/** Dry runs are not stored: the id is that of the request. */
export function dryRunResource(id: string, found: DryRun): Resource {
  const { atOnce, nothingKnown, pointsToo, streamsToo, startsAtZero: _, pool, ...rest } = found;
  return kinds.dryRuns.of(id, {
    ...rest,
    at_once: atOnce,
    nothing_known: nothingKnown,
    points_too: pointsToo,
    streams_too: streamsToo,
    pool: { available: pool.available, lasts_days: pool.lastsDays },
  });
}

export function notificationResource({ id, kind, subjectId, atMs }: LiveEvent & { atMs: number }): Resource {
  return kinds.notifications.of(id, { kind, subject_id: subjectId, at: isoOf(atMs) });
}
