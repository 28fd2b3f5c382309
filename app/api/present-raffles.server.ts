import { minute } from '#domain/kernel/time.ts';
import type { OwnRaffle, PublishedEntry } from '#domain/raffle/list-raffles.ts';
import { presentAsked } from './conditions.ts';
import { isoOf, isoOrNull } from './present-facts.server.ts';
import * as kinds from './raffle-resources.ts';
import type { Resource } from './resource.ts';

export const raffleResource = (raffle: OwnRaffle): Resource =>
  kinds.raffles.of(raffle.id, {
    keyword: raffle.keyword,
    state: raffle.state,
    end_reason: raffle.endReason,
    channel_id: raffle.channelId,
    item_name: raffle.itemName,
    winners: raffle.winners,
    minutes: raffle.lengthMs / minute,
    ...presentAsked(raffle),
    winners_out_days: raffle.winnersOutDays,
    moderators_may_enter: raffle.moderatorsMayEnter,
    claim_timeout_hours: raffle.claimTimeoutHours,
    entries: raffle.entryCount,
    list_hash: raffle.listHash,
    created_at: isoOf(raffle.createdAtMs),
    started_at: isoOrNull(raffle.startedAtMs),
    planned_end: isoOrNull(raffle.plannedEndMs),
    entries_until: isoOrNull(raffle.endsAtMs),
    sealed_at: isoOrNull(raffle.sealedAtMs),
    announced_at: isoOrNull(raffle.announcedAtMs),
    drawn_at: isoOrNull(raffle.drawnAtMs),
    ended_at: isoOrNull(raffle.endedAtMs),
  });

export const raffleEntryResource = (raffleId: string, entry: PublishedEntry): Resource =>
  kinds.raffleEntries.of(`${raffleId}:${entry.number}`, {
    number: entry.number,
    twitch_id: entry.twitchId,
    entered_at: isoOf(entry.enteredAtMs),
    place: entry.place,
    state: entry.state,
    passed: entry.passReason,
    reward: entry.reward,
  });
