import { Callout } from '#app/components/feedback/callout.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ClaimFailure as Failure } from '#domain/outbox/queue-mail.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';

/** Failures that the viewer can fix; all others are ours or Steam's. */
const remedies: Partial<Record<string, 'tradeLink' | 'inventory' | 'account'>> = {
  steamTokenInvalid: 'tradeLink',
  inventoryUnavailable: 'inventory',
  inventoryPrivate: 'inventory',
  inventoryFull: 'inventory',
  tradeBanned: 'account',
  gameBanned: 'account',
  partnerCannotTrade: 'account',
};

const advice = {
  declined: 'progress.failure.declinedText',
  notAccepted: 'progress.failure.notAcceptedText',
  delayed: 'progress.failure.delayedText',
  unanswered: 'progress.failure.unansweredText',
  withdrawn: 'progress.failure.withdrawnText',
} as const;

const adviceFor = (failure: Failure) =>
  failure.kind === 'refused'
    ? (`progress.failure.${remedies[failure.reason] ?? 'ours'}` as const)
    : advice[failure.kind];

/** A new trade link is needed first: only then can another claim succeed. */
export const needsTradeLink = (failure: Failure | null): boolean =>
  failure?.kind === 'refused' && remedies[failure.reason] === 'tradeLink';

/** Explains why the last claim of a reward failed, and how to make the next one succeed. */
export function ClaimFailure({
  reward: { claimFailure, claimUntilMs },
}: {
  reward: Pick<MyReward, 'claimFailure' | 'claimUntilMs'>;
}) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (!claimFailure) return null;
  return (
    <Callout
      type={claimFailure.kind === 'refused' ? 'danger' : 'warning'}
      title={t(`progress.failure.${claimFailure.kind}`)}
    >
      <p>
        {t(adviceFor(claimFailure))}{' '}
        {t('progress.failure.untilThen', { date: time(claimUntilMs, 'deadline') })}{' '}
        <Link to="/transfers?kind=claim">{t('progress.failure.transfer')}</Link>
      </p>
    </Callout>
  );
}
