import type { ReportedRedemption } from './record-redemption.ts';

/** Sorts redemptions by time. Twitch's lists have whole seconds; within a second the listed order is kept. */
export const byRedeemedAt = (reported: readonly ReportedRedemption[]): ReportedRedemption[] =>
  reported.toSorted((one, other) => one.redeemedAtMs - other.redeemedAtMs);
