import type { Reader } from '#db/database.ts';
import type { rules } from '#db/schema/rule.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import {
  type Correction,
  type CorrectionRefusal,
  correctionRefusalOf,
  wasPromised,
} from '#domain/rule/correct-rule.ts';

/** The ways in which a rule changes: in place, or by a harder one that takes its place. */
export const correctionModes = ['correct', 'succeed'] as const;
export type CorrectionMode = (typeof correctionModes)[number];

/**
 * Returns the way in which a rule would change to what is wanted, or why it cannot. A paused rule has no successor, unless
 * its owner paused it.
 */
export async function correctionModeOf(
  q: Reader,
  {
    rule,
    wanted,
    paidDrawsAllowed,
  }: {
    rule: Correction & Pick<typeof rules.$inferSelect, 'id' | 'state' | 'pauseReason'>;
    wanted: Correction;
    paidDrawsAllowed: boolean;
  },
): Promise<
  Outcome<{ mode: CorrectionMode }, Exclude<CorrectionRefusal, 'notFound' | 'ruleHarder'> | 'rulePaused'>
> {
  const isPromised = await wasPromised(q, rule.id);
  const refused = correctionRefusalOf(rule, wanted, { isPromised, paidDrawsAllowed });
  if (refused !== 'ruleHarder') return refused ? refuse(refused) : done({ mode: 'correct' });
  const isOpen = rule.state === 'open' || rule.pauseReason === 'owner';
  return isOpen ? done({ mode: 'succeed' }) : refuse('rulePaused');
}
