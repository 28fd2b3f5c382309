/** The owner of a limit: the application's own token, or an account that has linked itself. */
export type TokenOwner = 'application' | 'account';

/**
 * Twitch's report about a token's bucket: the points left, which refill steadily until it is full. Steady
 * time.
 */
export interface ReportedPoints {
  left: number;
  limit: number;
  atMs: number;
  fullAtMs: number;
}

/**
 * Returns how many points there must be by now, if nobody else spends any; infinite once the bucket is full.
 */
export function refilledPoints({ left, limit, atMs, fullAtMs }: ReportedPoints, nowMs: number): number {
  if (fullAtMs <= nowMs) return Number.POSITIVE_INFINITY;
  return left + ((limit - left) * (nowMs - atMs)) / (fullAtMs - atMs);
}

/** The buckets that are not full, and the limit of one that is. */
const reported: Record<TokenOwner, { limit: number; buckets: Map<object, ReportedPoints> }> = {
  application: { limit: 0, buckets: new Map() },
  account: { limit: 0, buckets: new Map() },
};

/** A bucket refills within a minute, whatever the clocks say. */
const MAX_REFILL_MS = 65_000;

/** Records Twitch's report about a bucket, for the measurements. */
export function reportPoints(owner: TokenOwner, bucket: object, points: ReportedPoints): void {
  reported[owner].limit = points.limit;
  const fullAtMs = Math.min(points.fullAtMs, points.atMs + MAX_REFILL_MS);
  reported[owner].buckets.set(bucket, { ...points, fullAtMs });
}

/** Returns how many points the emptiest bucket has by now; null until Twitch has reported any. */
export function fewestPoints(owner: TokenOwner, nowMs: number): number | null {
  const { limit, buckets } = reported[owner];
  let fewest = limit;
  for (const [bucket, points] of buckets) {
    const left = refilledPoints(points, nowMs);
    if (Number.isFinite(left)) fewest = Math.min(fewest, Math.floor(left));
    else buckets.delete(bucket);
  }
  return limit === 0 ? null : fewest;
}
