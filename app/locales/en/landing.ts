export const landing = {
  title: 'Keepsake – give the viewers who stay something to keep',
  description: 'Attach Steam items to rules on your Twitch channel. Viewers earn them and claim them.',
  heading: 'Give the viewers who stay something to keep.',
  lede: 'Attach Steam items to rules on your Twitch channel. Viewers see how far they have come, claim what they earned, and get a trade offer they can verify.',
  start: 'Set up your channel',
  how: 'How it works',
  example: 'An example reward',
  exampleChannel: 'Nordwind',
  exampleMeta: 'Field-Tested · Covert rifle',
  exampleReady: 'Ready to claim',
  exampleWatch: 'Watch time',
  exampleWatched: '10 h 04 min',
  exampleWatchGoal: 'of 10 h',
  exampleFollow: 'Following',
  exampleFollowed: '214 days',
  exampleFollowGoal: 'of 30',
  exampleFoot: 'The viewer has 72 hours to claim it',
  blurbs: {
    conditions: 'Conditions viewers can check',
    conditionsText:
      'Follow time, watch time, subscription and channel points, alone or combined. Viewers see their progress on each, and why an interval did not count.',
    custody: 'Every item accounted for',
    custodyText:
      'Every item has exactly one holder at any time. You see which bot holds it and until when it is locked, and anything that is not promised can be returned to you.',
    draws: 'Draws anyone can check',
    drawsText:
      'A rule with random rewards publishes its sealed seed before the first draw and reveals it when the rule closes. A small script checks every result. In other rules, whoever meets the conditions first is first in line.',
  },
  steps: {
    heading: 'Three steps',
    deposit: 'Deposit items',
    depositText:
      'Pick items from your Steam inventory. One trade offer moves them to a bot; after Steam’s 7 days you can use them.',
    depositAvailable: 'Available',
    depositCooldown: 'In cooldown for 6 days',
    rule: 'Create a rule',
    ruleText:
      'Choose what viewers have to do and attach the items. A preview shows how many viewers of the last 30 days would have met it.',
    ruleName: 'Ten hours together',
    ruleWatch: 'Watch 10 h',
    ruleFollow: 'Follow 30 days',
    rulePreview: '12 of 83 viewers of the last 30 days would have met it',
    claim: 'Viewers claim',
    claimText:
      'They press Claim, compare the security code and accept the offer in Steam. You see every step with its time.',
    claimed: 'Claimed',
    sent: 'Offer sent by Keepsake 02',
    accepted: 'Accepted by mira_plays',
  },
} as const;
