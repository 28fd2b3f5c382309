/** Words for the states of a reward, as pools, legends and badges use them. */
export const rewards = {
  state: {
    free: 'Free',
    promised: 'Promised',
    reserved: 'Being sent',
    claimed: 'Claimed',
    recalled: 'Recalled',
  },
  pool: {
    free_one: '{{count}} free',
    free_other: '{{count}} free',
    promised_one: '{{count}} promised',
    promised_other: '{{count}} promised',
    reserved_one: '{{count}} being sent',
    reserved_other: '{{count}} being sent',
    claimed_one: '{{count}} claimed',
    claimed_other: '{{count}} claimed',
    recalled_one: '{{count}} recalled',
    recalled_other: '{{count}} recalled',
    empty: 'No rewards',
  },
} as const;
