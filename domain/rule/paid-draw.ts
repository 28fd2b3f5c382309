import type { RuleType } from '#db/schema/rule.ts';
import type { RequiredColumn } from '#domain/condition/conditions.ts';

/**
 * Whether a draft is a random reward for what costs money or points: a lottery in many places, and against Twitch's
 * rules for channel points. `paid` names what costs; the browser, which asks too, is told it.
 */
export const isPaidDraw = (
  draft: Record<RequiredColumn, unknown> & { type: RuleType },
  paid: readonly RequiredColumn[],
): boolean => draft.type === 'random' && paid.some((column) => draft[column] !== null);
