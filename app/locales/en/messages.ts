/** Success messages, word for word from the specification. */
export const messages = {
  messageSent: 'Message sent!',
  registered: 'Successful registration',
  passwordUpdated: 'Password updated',
  tradeLinkUpdated: 'Steam trade link updated',
  ruleCreated: 'Rule successfully created',
  ruleDeleted: 'Rule deleted',
  rewardsAdded: 'Rewards added to rule',
  rewardsRemoved: 'Rewards removed from rule',
  subscriptionCancelled: 'Subscription cancelled successfully',
  verificationSent: 'Verification email has been sent',
  offerSent: 'Trade offer sent',
  offerSentBody: 'No. {{offerId}} arrives in a couple of minutes.',
} as const;
