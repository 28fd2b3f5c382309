import type { RuleProgress } from '#domain/view/list-progress.ts';
import { noProgress, nothingAsked } from '#tests/support/conditions.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { demoChannel } from './demo-reward.ts';

/** A viewer's progress under a rule that asks for ten hours. */
export const demoProgress: RuleProgress = {
  ruleId: 'rule',
  ruleName: 'Ten hours',
  ruleType: 'one',
  ruleCreatedAtMs: START_MS,
  asked: nothingAsked,
  claimTimeoutHours: 72,
  status: 'inProgress',
  inLine: null,
  pauseReason: null,
  resumesAtMs: null,
  channel: demoChannel,
  progress: { ...noProgress, watch: { haveSeconds: 60, needSeconds: 36_000, met: false }, met: false },
  freeRewards: 1,
  hadRewards: true,
  nextItem: null,
  chances: [],
  redemption: null,
  streamSeconds: null,
  gaps: [],
  presence: null,
  attended: false,
  watchedSeconds: 60,
};
