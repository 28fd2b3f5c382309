import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import { needsTradeLink } from './claim-failure.tsx';
import { LoadedTradeWindow } from './trade-window.tsx';

/** The confirmation of a claim. */
export function useClaimQuestion() {
  const { t } = useTranslation();
  return (reward: MyReward) => ({
    title: t('progress.claim.question', { name: reward.item.name }),
    text: t('progress.claim.text'),
    act: t('progress.claim.act'),
    keep: t('progress.claim.keep'),
  });
}

/** The time left to claim a reward, and the claim button. */
export function ClaimButton({ reward, nowMs }: { reward: MyReward; nowMs: number }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const time = useTimeText();
  const question = useClaimQuestion();
  const leftMs = Math.max(0, reward.claimUntilMs - nowMs);
  const hours = reward.claimTimeoutHours;
  const lacksTradeLink = needsTradeLink(reward.claimFailure);
  const isPaused = reward.pausedUntilMs !== null && nowMs < reward.pausedUntilMs;
  const isFrozen = reward.frozenAtMs !== null;
  const used = Math.min(hours, Math.max(0, hours - leftMs / 3_600_000));
  return (
    <>
      <div>
        <div className="amount">{span(Math.floor(leftMs / 1000))}</div>
        <p className="s13 muted">
          {t('progress.leftUntil', { date: time(reward.claimUntilMs, 'deadline') })}
        </p>
      </div>
      <progress
        className="meter meter--time"
        value={used}
        max={hours}
        aria-label={t('progress.timeUsed', { span: span(hours * 3600) })}
      />
      {lacksTradeLink && (
        <ButtonLink kind="primary" wide to="/profile#trade-link">
          {t('progress.failure.setTradeLink')}
        </ButtonLink>
      )}
      {isFrozen && (
        <p className="s13 warn" role="status">
          {t('progress.frozen')}
        </p>
      )}
      {isPaused && (
        <p className="s13 warn" role="status">
          {t('progress.pausedUntil', { date: time(reward.pausedUntilMs ?? 0, 'deadline') })}
        </p>
      )}
      <ConfirmDialog
        page={`/rewards/${reward.id}/claim`}
        opener={
          <>
            {t('progress.claim.opener')}
            <span className="vh"> {reward.item.name}</span>
          </>
        }
        openerClass={
          lacksTradeLink || isPaused || isFrozen
            ? 'btn btn--secondary btn--wide'
            : 'btn btn--primary btn--wide'
        }
        {...question(reward)}
      >
        <LoadedTradeWindow reward={reward} />
      </ConfirmDialog>
    </>
  );
}
