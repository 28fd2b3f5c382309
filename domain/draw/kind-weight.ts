import { and, eq, type SQLWrapper } from 'drizzle-orm';
import { kindWeights } from '#db/schema/draw.ts';

/** Joins the weight of a kind under a rule: one row at most, and none while it weighs what all do, which is 1. */
export const isOfKind = (
  ruleId: SQLWrapper | string,
  kind: { appId: SQLWrapper; marketHashName: SQLWrapper },
) =>
  and(
    eq(kindWeights.ruleId, ruleId),
    eq(kindWeights.appId, kind.appId),
    eq(kindWeights.marketHashName, kind.marketHashName),
  );
