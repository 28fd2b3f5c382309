import type { SubscriberTier } from '#db/schema/rule.ts';

const tiers: Readonly<Record<string, SubscriberTier>> = { '1000': 1, '2000': 2, '3000': 3 };

/** Converts Twitch's tier. An unknown tier counts as the lowest, because it is still a subscription. */
export const subscriberTierOf = (twitchTier: string): SubscriberTier => tiers[twitchTier] ?? 1;
