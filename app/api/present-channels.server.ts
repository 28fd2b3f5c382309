import type { ChannelPage } from '#app/services/channels/channel-page.server.ts';
import type { ChannelSummary } from '#domain/channel/channel-summary.ts';
import type { ListedChannel } from '#domain/channel/list-channels.ts';
import type { Guest } from '#domain/channel/list-guests.ts';
import type { RewardCounts } from '#domain/view/count-rewards.ts';
import type { ChannelDay } from '#domain/view/get-channel-days.ts';
import { presentAsked } from './conditions.ts';
import { isoOf, isoOrNull, kindFacts, stoppedOf } from './present-facts.server.ts';
import type { Resource } from './resource.ts';
import * as kinds from './resources.ts';

// Converts the domain's channel and dashboard data to resources.

export function listingResource(channel: ListedChannel): Resource {
  return kinds.channelListings.of(channel.id, {
    login: channel.login,
    display_name: channel.displayName,
    picture_url: channel.pictureUrl,
    live: channel.live,
    game: channel.gameName,
    title: channel.title,
    last_seen_at: isoOf(channel.lastSeenAtMs),
    open_rules: channel.openRules,
    free_rewards: channel.freeRewards,
    min_claim_timeout_hours: channel.minClaimHours,
    max_claim_timeout_hours: channel.maxClaimHours,
  });
}

export function dashboardResource({
  id,
  channelId,
  period,
  rewards: { now, since },
  days,
}: {
  id: string;
  channelId: string | null;
  period: number;
  rewards: RewardCounts;
  days: readonly ChannelDay[];
}): Resource {
  const { timedOut, ...ended } = since;
  return kinds.dashboards.of(id, {
    period_days: period,
    rewards_now: now,
    promises: { ...ended, timed_out: timedOut },
    channel_id: channelId,
    days: days.map(({ dayMs, watchSeconds, ...counted }) => ({
      date: isoOf(dayMs).slice(0, 10),
      watch_seconds: watchSeconds,
      ...counted,
    })),
  });
}

export function channelPageResource({ channel, offers, empty, record, latest }: ChannelPage): Resource {
  return kinds.channelPages.of(channel.id, {
    login: channel.login,
    display_name: channel.displayName,
    picture_url: channel.pictureUrl,
    live: channel.live,
    live_since: isoOrNull(channel.streamStartedAtMs),
    game: channel.gameName,
    title: channel.title,
    rules: [...offers, ...empty].map((rule) => ({
      id: rule.id,
      name: rule.name,
      paused: rule.pause !== null,
      resumes_at: isoOrNull(rule.pause?.resumesAtMs ?? null),
      rule_type: rule.type,
      ...presentAsked(rule),
      claim_timeout_hours: rule.claimTimeoutHours,
      pool: rule.pool,
      preparing: rule.preparing,
      waiting: rule.waiting,
    })),
    delivery_record: {
      promised: record.promised,
      delivered: record.delivered,
      timed_out: record.timedOut,
      reversed: record.reversed,
      under_way: record.underWay,
      median_seconds: record.medianMs === null ? null : Math.round(record.medianMs / 1000),
      since: isoOrNull(record.sinceMs),
      is_whole: record.isWhole,
      stopped: stoppedOf(record.stopped),
    },
    latest_deliveries: latest.map(({ ruleName, item, viewer, deliveredAtMs }) => ({
      rule_name: ruleName,
      item: kindFacts(item),
      viewer_name: viewer?.displayName ?? null,
      delivered_at: isoOf(deliveredAtMs),
    })),
  });
}

export const guestResource = (guest: Guest): Resource =>
  kinds.channelGuests.of(guest.userId, {
    name: guest.name,
    picture_url: guest.pictureUrl,
    admitted_at: isoOf(guest.admittedAtMs),
    rules: guest.rules,
  });

export const openChannelResource = ({ id, ...channel }: ChannelSummary): Resource =>
  kinds.channels.of(id, {
    login: channel.login,
    display_name: channel.displayName,
    picture_url: channel.pictureUrl,
    live: channel.live,
  });
