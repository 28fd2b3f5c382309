import { useWords, type Words } from '#app/components/text/words.ts';
import type { LastRedemption } from '#domain/redemption/list-last-redemptions.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';
import { conditionKeys } from './progress-conditions.tsx';

/** Points spent before the other conditions are met are refunded, so viewers are not asked to spend them then. */
function redeemWords(rest: readonly { met: boolean }[], refused: boolean) {
  if (refused) return 'progress.redeemRefused';
  if (rest.length === 0) return 'progress.redeem';
  return rest.every(({ met }) => met) ? 'progress.redeemNow' : 'progress.redeemLater';
}

/** Says that points were refunded, and why; undefined if they were not. */
function pointsBack(redemption: LastRedemption | null, { t, time }: Words): string | undefined {
  if (!redemption?.refundReason || redemption.points === 'kept') return undefined;
  return t(`progress.pointsBack.${redemption.points}`, {
    date: time(redemption.redeemedAtMs),
    reason: t(`progress.refund.${redemption.refundReason}`),
  });
}

export function PointsBack({ redemption }: { redemption: LastRedemption | null }) {
  const words = useWords();
  const text = pointsBack(redemption, words);
  return text && <p className="s13 muted">{text}</p>;
}

/**
 * Advises when to spend points for a rule that asks for them, and shows the result of the last redemption.
 */
export function PointsAdvice({ rule }: { rule: RuleProgress }) {
  const { t } = useWords();
  const { progress, status, ruleName, channel, redemption } = rule;
  if (!progress.points) return null;
  const rest = conditionKeys.flatMap((key) => (key === 'points' ? [] : (progress[key] ?? [])));
  return (
    <>
      {!progress.points.met && status === 'inProgress' && (
        <p className="s13 muted">
          {t(redeemWords(rest, progress.points.refused), { rule: ruleName, channel: channel.displayName })}
        </p>
      )}
      <PointsBack redemption={redemption} />
    </>
  );
}
