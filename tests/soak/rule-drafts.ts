/** Every condition, alone and combined, and both types; short enough to be met during the soak. */
export const ruleDrafts = [
  { name: 'Soak watch', watch_minutes: 4 },
  { name: 'Soak points', points_cost: 100 },
  { name: 'Soak random watch', rule_type: 'random', watch_minutes: 8, watch_scope: 'allTime' },
  { name: 'Soak follow', follow_days: 3 },
  { name: 'Soak random points', rule_type: 'random', points_cost: 250 },
  { name: 'Soak subscriber', subscriber_tier: 2, watch_minutes: 3 },
  { name: 'Soak points and watch', points_cost: 50, watch_minutes: 6 },
  { name: 'Soak random follow', rule_type: 'random', follow_days: 1, watch_minutes: 5 },
  { name: 'Soak points and subscriber', points_cost: 75, subscriber_tier: 1 },
] as const;
