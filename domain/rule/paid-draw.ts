import type { RuleType } from '#db/schema/rule.ts';
import type { RequiredColumn } from '#domain/condition/conditions.ts';

/**
 * Returns whether a draft is a random reward for something that costs money or points: a lottery in many
 * places, and against Twitch's rules for channel points. `paid` names the columns that cost something; the
 * browser, which calls this too, gets them from the server.
 */
export const isPaidDraw = (
  draft: Record<RequiredColumn, unknown> & { type: RuleType },
  paid: readonly RequiredColumn[],
): boolean => draft.type === 'random' && paid.some((column) => draft[column] !== null);
