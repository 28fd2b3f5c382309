import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { Timeline, type TimelineStep } from '#app/components/lists/timeline.tsx';
import { ProofLink } from '#app/components/rules/proof-link.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { GivenRewardOrigin } from '#domain/view/list-given-rewards.ts';

function usePast(): (reward: GivenRewardOrigin) => TimelineStep[] {
  const { t } = useTranslation();
  return (reward) => {
    const proof = reward.drawNumber !== null && (
      <>
        {t('given.origin.drawn')} <ProofLink ruleId={reward.ruleId} number={reward.drawNumber} />
      </>
    );
    const steps: { key: string; label: string; ms: number | null; note?: TimelineStep['note'] }[] = [
      { key: 'met', label: t('given.origin.met'), ms: reward.qualifiedAtMs },
      { key: 'promised', label: t('given.status.promised'), ms: reward.promisedAtMs, note: proof },
      { key: 'claimed', label: t('given.status.claimed'), ms: reward.claimedAtMs },
      { key: 'sent', label: t('given.status.offerSent'), ms: reward.sentAtMs },
      { key: 'delivered', label: t('given.status.delivered'), ms: reward.deliveredAtMs },
    ];
    return steps.flatMap(({ ms, ...step }) =>
      ms === null ? [] : [{ ...step, state: 'done', time: <LocalTime ms={ms} /> }],
    );
  };
}

/** The event that the reward waits for, or its end. */
function useNow(): (reward: GivenRewardOrigin) => TimelineStep[] {
  const { t } = useTranslation();
  const time = useTimeText();
  return ({ status, claimUntilMs, settlesAtMs, reversedAtMs, stopReason, stopAskedAtMs }) => {
    const waits = (label: string, untilMs: number | null): TimelineStep[] => [
      {
        key: 'now',
        label,
        state: 'now',
        time: untilMs !== null && t('given.origin.until', { date: time(untilMs) }),
      },
    ];
    const ended = (ms: number | null): TimelineStep[] => [
      {
        key: 'end',
        label: t(`given.status.${status}`),
        state: 'done',
        time: ms !== null && <LocalTime ms={ms} />,
      },
    ];
    switch (status) {
      case 'promised':
        return waits(t('given.origin.toClaim'), claimUntilMs);
      case 'claimed':
        return waits(t('given.origin.toSend'), null);
      case 'offerSent':
        return waits(t('given.origin.toAccept'), claimUntilMs);
      case 'delivered':
        return [
          ...waits(t('given.origin.reversible'), settlesAtMs),
          { key: 'final', label: t('given.status.final'), state: 'todo' },
        ];
      case 'final':
        return ended(settlesAtMs);
      case 'timedOut':
        return ended(claimUntilMs);
      case 'reversed':
        return ended(reversedAtMs);
      case 'stopped':
        return ended(stopAskedAtMs).map((step) => ({
          ...step,
          note: stopReason && t(`rewards.stopReason.${stopReason}`),
        }));
      case 'depositReversed':
      case 'recalled':
        return ended(null);
    }
  };
}

/** Links to the page on which its owner can stop the promise, or shows the result of that. */
function Stop({ reward: { id, status, stopReason } }: { reward: GivenRewardOrigin }) {
  const { t } = useTranslation();
  const isOpen = status === 'promised' || status === 'claimed' || status === 'offerSent';
  if (stopReason !== null && status !== 'stopped')
    return (
      <Callout type={isOpen ? 'info' : 'warning'}>
        <p>{t(isOpen ? 'given.stop.asking' : 'given.stop.tooLate')}</p>
      </Callout>
    );
  if (!isOpen) return null;
  return (
    <ButtonLink wide kind="danger" to={`/rules/who-got-what/${id}/stop`}>
      {t('given.stop.act')}
    </ButtonLink>
  );
}

/** The history of one reward from the qualification to the delivery, with its transfer. */
export function GivenLife({ reward }: { reward: GivenRewardOrigin }) {
  const { t } = useTranslation();
  const [past, now] = [usePast(), useNow()];
  const { ruleId, ruleName, offerId, botName, transferId } = reward;
  return (
    <div className="transfer__body">
      <Timeline steps={[...past(reward), ...now(reward)]} />
      <div className="stack stack-6">
        <dl className="kv">
          <dt>{t('given.rule')}</dt>
          <dd>
            <Link to={`/rules/${ruleId}`}>{ruleName}</Link>
          </dd>
          {botName !== null && (
            <>
              <dt>{t('given.bot')}</dt>
              <dd>{botName}</dd>
            </>
          )}
          {offerId !== null && (
            <>
              <dt>{t('given.offer')}</dt>
              <dd>
                <code>{offerId}</code>
              </dd>
            </>
          )}
        </dl>
        {transferId !== null && (
          <ButtonLink wide to={`/transfers?open=${transferId}`}>
            {t('given.openTransfer')}
          </ButtonLink>
        )}
        <Stop reward={reward} />
      </div>
    </div>
  );
}
