import {
  type Conditions,
  conditionProgress,
  conditions,
  type ViewerFacts,
} from '#domain/condition/conditions.ts';

/** The values of a rule without conditions. */
export const nothingAsked = {
  ...Object.fromEntries(conditions.map(({ column }) => [column, null])),
  watchScope: 'sinceRule',
  ofLastStreams: null,
} as Conditions;

/** Anybody's progress under it. */
export const noProgress = conditionProgress(nothingAsked, {} as ViewerFacts, 0);
