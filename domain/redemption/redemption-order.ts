import type { ReportedRedemption } from './record-redemption.ts';

/**
 * Redemptions as they were made. Twitch's lists tell whole seconds: what falls into one second keeps the order in which
 * it was listed.
 */
export const byRedeemedAt = (told: readonly ReportedRedemption[]): ReportedRedemption[] =>
  told.toSorted((one, other) => one.redeemedAtMs - other.redeemedAtMs);
