import { Clock, Coins, Heart, Star } from '#app/components/icons/signs.ts';
import { Twin } from '#app/components/lists/table.tsx';
import { Condition } from '#app/components/rules/condition.tsx';
import { useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Translate } from '#app/locales/translation.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import type { LastRedemption } from '#domain/redemption/list-last-redemptions.ts';
import type { RuleProgress, WatchGap } from '#domain/rule/list-progress.ts';

/** Why intervals of a stream did not count. */
export function Gaps({ gaps }: { gaps: readonly WatchGap[] }) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (gaps.length === 0) return null;
  return (
    <Twin label={t('progress.gaps', { count: gaps.length })}>
      <dl className="kv kv--start">
        {gaps.map(({ fromMs, untilMs, reason }) => (
          <div className="kv__row" key={fromMs}>
            <dt>
              {time(fromMs)}–{time(untilMs, 'time')}
            </dt>
            <dd>{t(`progress.gap.${reason}`)}</dd>
          </div>
        ))}
      </dl>
    </Twin>
  );
}

const tierNeeded: Record<SubscriberTier, (t: Translate) => string> = {
  1: (t) => t('progress.anyTier'),
  2: (t) => t('progress.fromTier', { tier: 2 }),
  3: (t) => t('progress.topTier'),
};

/** Points that are spent before the rest is met come back, so nobody is told to spend them then. */
function redeemWords(rest: readonly { met: boolean }[]) {
  if (rest.length === 0) return 'progress.redeem';
  return rest.every(({ met }) => met) ? 'progress.redeemNow' : 'progress.redeemLater';
}

/** What somebody has to do who is to spend channel points, and what became of those that they spent. */
export function PointsWords({ rule }: { rule: RuleProgress }) {
  const { t } = useTranslation();
  const { points, watch, follow, subscriber } = rule.progress;
  if (!points) return null;
  const words = { rule: rule.ruleName, channel: rule.channel.displayName };
  const rest = [watch, follow, subscriber].filter((each) => each !== null);
  return (
    <>
      {!points.met && rule.status === 'inProgress' && (
        <p className="s13 muted">{t(redeemWords(rest), words)}</p>
      )}
      <PointsBack redemption={rule.redemption} />
    </>
  );
}

/** That points were given back, and why. */
export function PointsBack({ redemption }: { redemption: LastRedemption | null }) {
  const { t } = useTranslation();
  const time = useTimeText();
  if (!redemption?.refundReason || redemption.points === 'kept') return null;
  return (
    <p className="s13 muted">
      {t(`progress.pointsBack.${redemption.points}`, {
        date: time(redemption.redeemedAtMs),
        reason: t(`progress.refund.${redemption.refundReason}`),
      })}
    </p>
  );
}

/** How far somebody is with each condition that a rule asks. */
export function Conditions({ rule }: { rule: RuleProgress }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const time = useTimeText();
  const number = useNumberText();
  const { watch, follow, subscriber, points } = rule.progress;
  return (
    <>
      {watch && (
        <Condition
          name={
            rule.watchScope === 'allTime'
              ? t('progress.watchAllTime')
              : t('progress.watchSince', { date: time(rule.ruleCreatedAtMs, 'day') })
          }
          icon={Clock}
          value={span(watch.haveSeconds)}
          goal={t('progress.goal', { goal: span(watch.needSeconds) })}
          met={watch.met}
          progress={{ value: watch.haveSeconds, max: watch.needSeconds }}
        />
      )}
      {follow && (
        <Condition
          name={t('progress.following')}
          icon={Heart}
          value={
            follow.sinceMs === null ? t('progress.notYet') : t('common.days', { count: follow.haveDays })
          }
          goal={follow.sinceMs === null ? undefined : t('progress.goal', { goal: follow.needDays })}
          met={follow.met}
          progress={{ value: follow.haveDays, max: follow.needDays }}
        />
      )}
      {subscriber && (
        <Condition
          name={t('progress.subscription')}
          icon={Star}
          value={[
            subscriber.haveTier === null
              ? t('progress.notYet')
              : t('progress.tier', { tier: subscriber.haveTier }),
            ...(subscriber.met ? [] : [tierNeeded[subscriber.needTier](t)]),
          ].join(', ')}
          met={subscriber.met}
        />
      )}
      {points && (
        <Condition
          name={t('progress.points')}
          icon={Coins}
          value={
            points.redeemedAtMs === null
              ? t('progress.pointsCost', { count: points.cost, cost: number(points.cost) })
              : t('progress.redeemed', { date: time(points.redeemedAtMs) })
          }
          met={points.met}
        />
      )}
    </>
  );
}
