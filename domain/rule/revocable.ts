import { isNotNull, or } from 'drizzle-orm';
import { rules } from '#db/schema/rule.ts';

/** Whether a rule, in a query over rules, asks for something that may cease to hold between the promise and the claim. */
export const hasRevocableCondition = () =>
  or(isNotNull(rules.followDays), isNotNull(rules.subscriberTier), isNotNull(rules.pointsCost));
