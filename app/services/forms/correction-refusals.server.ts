import type { RefusalText } from '#app/services/forms/refusals.server.ts';
import { ruleRefusals } from '#app/services/forms/trading-refusals.server.ts';
import type { CorrectionRefusal } from '#domain/rule/correct-rule.ts';
import type { PauseRefusal } from '#domain/rule/pause-rule.ts';
import type { SuccessionRefusal } from '#domain/rule/succeed-rule.ts';

export const pauseRefusals: Record<Exclude<PauseRefusal, 'notFound'>, RefusalText> = {
  ruleClosed: { status: 409, key: 'errors.rule.deleted' },
};

export const correctionRefusals: Record<
  Exclude<CorrectionRefusal | SuccessionRefusal, 'notFound'>,
  RefusalText
> = {
  ruleClosed: { status: 409, key: 'correct.deleted' },
  ruleOpening: { status: 409, key: 'correct.opening' },
  accountFrozen: ruleRefusals.accountFrozen,
  noCondition: ruleRefusals.noCondition,
  lastStreamsTooFew: ruleRefusals.lastStreamsTooFew,
  paidDraw: ruleRefusals.paidDraw,
  pointsFixed: { status: 422, key: 'correct.pointsKept' },
  ruleHarder: { status: 409, key: 'correct.changed' },
  notHarder: { status: 409, key: 'correct.changed' },
  rulePaused: { status: 409, key: 'correct.paused' },
  nothingCorrected: { status: 422, key: 'correct.nothing' },
};
