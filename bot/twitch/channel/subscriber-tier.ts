import type { SubscriberTier } from '#db/schema/rule.ts';

const tiers: Readonly<Record<string, SubscriberTier>> = { '1000': 1, '2000': 2, '3000': 3 };

/** Folds Twitch's name of a tier; one that is not known counts as the lowest, because it is a subscription all the same. */
export const subscriberTierOf = (twitchTier: string): SubscriberTier => tiers[twitchTier] ?? 1;
