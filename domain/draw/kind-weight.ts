import { and, eq, type SQLWrapper } from 'drizzle-orm';
import { kindWeights } from '#db/schema/draw.ts';

/** Joins a kind's weight under a rule; no row means the default weight of 1. */
export const isOfKind = (ruleId: SQLWrapper | string, kind: { appId: SQLWrapper; kindName: SQLWrapper }) =>
  and(
    eq(kindWeights.ruleId, ruleId),
    eq(kindWeights.appId, kind.appId),
    eq(kindWeights.kindName, kind.kindName),
  );
