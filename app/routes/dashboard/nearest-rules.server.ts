import type { ConditionProgress } from '#domain/condition/conditions.ts';

/** From this part of the way on a rule is near. */
const NEAR = 0.5;

/**
 * Returns how much of a rule is met, from 0 to 1: the part of that condition of which most is missing. What takes one
 * act, a subscription or channel points, is no way to go.
 */
function partMet({ watch, streams, follow }: ConditionProgress): number {
  return Math.min(
    1,
    watch ? watch.haveSeconds / watch.needSeconds : 1,
    streams ? streams.haveStreams / streams.needStreams : 1,
    follow ? follow.haveDays / follow.needDays : 1,
  );
}

/** Picks the rules of which half is met or more, nearest first. */
export const nearestRules = <R extends { progress: ConditionProgress }>(
  rows: readonly R[],
  size: number,
): R[] =>
  rows
    .map((row) => ({ row, part: partMet(row.progress) }))
    .filter(({ part }) => part >= NEAR)
    .sort((one, other) => other.part - one.part)
    .slice(0, size)
    .map(({ row }) => row);
