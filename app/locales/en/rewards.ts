/** Words for the states of a reward, as pools, legends and badges use them. */
export const rewards = {
  stopReason: {
    accountStolen: 'Somebody else used the streamer’s account',
    ruleAbused: 'Bots, or several accounts of one person',
    mistake: 'The rule or its reward was a mistake',
  },
  stoppedBy: {
    accountStolen: 'The streamer stopped this claim, because somebody else had used their account.',
    ruleAbused: 'The streamer stopped this claim, because of bots or several accounts of one person.',
    mistake: 'The streamer stopped this claim, because the rule or its reward was a mistake.',
  },
  state: {
    free: 'Free',
    promised: 'Promised',
    preparing: 'Preparing the offer',
    reserved: 'Offer sent',
    claimed: 'Delivered',
    recalled: 'Recalled',
  },
  pool: {
    free_one: '{{count}} free',
    free_other: '{{count}} free',
    promised_one: '{{count}} promised',
    promised_other: '{{count}} promised',
    preparing_one: '{{count}} in preparation',
    preparing_other: '{{count}} in preparation',
    reserved_one: '{{count}} offer sent',
    reserved_other: '{{count}} offers sent',
    claimed_one: '{{count}} delivered',
    claimed_other: '{{count}} delivered',
    recalled_one: '{{count}} recalled',
    recalled_other: '{{count}} recalled',
    empty: 'No rewards',
  },
} as const;
