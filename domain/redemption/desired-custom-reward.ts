import type { CustomRewardState } from '#db/schema/redemption.ts';
import type { RuleState } from '#db/schema/rule.ts';

/** What decides how a rule's custom reward should stand on its channel. */
export interface CustomRewardFacts {
  ruleState: RuleState;
  live: boolean;
  /** Rewards of the rule that could be promised now. */
  freeRewards: number;
  openRedemptions: number;
}

/**
 * How a custom reward should stand: to be redeemed while a redemption could be answered with a promise, else shown as
 * paused. That of a closed rule is hidden, and goes only when no redemption is open: Twitch would count those as kept.
 */
export function desiredCustomReward(facts: CustomRewardFacts): CustomRewardState {
  if (facts.ruleState === 'closed') return facts.openRedemptions > 0 ? 'disabled' : 'deleted';
  return facts.ruleState === 'open' && facts.live && facts.freeRewards > 0 ? 'enabled' : 'paused';
}

/** How Twitch shows it. */
export const customRewardStateOf = (shown: { isEnabled: boolean; isPaused: boolean }): CustomRewardState => {
  if (!shown.isEnabled) return 'disabled';
  return shown.isPaused ? 'paused' : 'enabled';
};
