import type { CustomRewardState } from '#db/schema/redemption.ts';
import type { RuleState } from '#db/schema/rule.ts';

/** The facts that decide the desired state of a rule's custom reward. */
export interface CustomRewardFacts {
  ruleState: RuleState;
  live: boolean;
  /** Rewards of the rule that could be promised now. */
  freeRewards: number;
  openRedemptions: number;
}

/**
 * The desired state of a custom reward: enabled while a redemption could be promised a reward, otherwise paused.
 * After the rule closes it is disabled, and deleted only when no redemption is open, because Twitch fulfils the open
 * redemptions of a deleted custom reward.
 */
export function desiredCustomReward(facts: CustomRewardFacts): CustomRewardState {
  if (facts.ruleState === 'closed') return facts.openRedemptions > 0 ? 'disabled' : 'deleted';
  return facts.ruleState === 'open' && facts.live && facts.freeRewards > 0 ? 'enabled' : 'paused';
}

/** Converts Twitch's flags to our state. */
export const customRewardStateOf = (shown: { isEnabled: boolean; isPaused: boolean }): CustomRewardState => {
  if (!shown.isEnabled) return 'disabled';
  return shown.isPaused ? 'paused' : 'enabled';
};
