import { rules } from '#db/schema/rule.ts';

/** What a rule asks; null = not asked. All that are set must hold, and at least one is set. */
export type Conditions = Pick<
  typeof rules.$inferSelect,
  'followDays' | 'watchMinutes' | 'watchScope' | 'subscriberTier' | 'pointsCost'
>;

/** The same as columns of a query. */
export const conditionColumns = {
  followDays: rules.followDays,
  watchMinutes: rules.watchMinutes,
  watchScope: rules.watchScope,
  subscriberTier: rules.subscriberTier,
  pointsCost: rules.pointsCost,
};

export const hasNoConditions = (asked: Omit<Conditions, 'watchScope'>): boolean =>
  asked.followDays === null &&
  asked.watchMinutes === null &&
  asked.subscriberTier === null &&
  asked.pointsCost === null;
