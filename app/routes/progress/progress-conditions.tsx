import { useState } from 'react';
import { Calendar, Clock, Coins, Heart, Star } from '#app/components/icons/signs.ts';
import { Condition, type ConditionProps } from '#app/components/rules/condition.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { useWords, type Words } from '#app/components/text/words.ts';
import type { Translate } from '#app/locales/translation.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import type { ConditionKey } from '#domain/condition/conditions.ts';
import type { RuleProgress } from '#domain/view/list-progress.ts';

const tierNeeded: Record<SubscriberTier, (t: Translate) => string> = {
  1: (t) => t('progress.anyTier'),
  2: (t) => t('progress.fromTier', { tier: 2 }),
  3: (t) => t('progress.topTier'),
};

export type ConditionRow = ConditionProps & {
  /** The missing amount, if known. */
  left?: { amount: string; text: string };
  /** It is counted only while the channel is live, and gaps reduce it. */
  onStream?: true;
};

const minutesIn = (seconds: number) => Math.floor(seconds / 60);

/** Watch time, and by how much it last grew while the page showed it. */
function Watched({ seconds }: { seconds: number }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const [shown, setShown] = useState({ seconds, minutes: 0 });
  if (minutesIn(shown.seconds) !== minutesIn(seconds))
    setShown({ seconds, minutes: minutesIn(seconds) - minutesIn(shown.seconds) });
  return (
    <>
      {span(seconds)}
      {shown.minutes > 0 && (
        <span className="cond__more" key={shown.seconds}>
          {' '}
          {t('progress.more', { span: span(shown.minutes * 60) })}
        </span>
      )}
    </>
  );
}

/** A viewer's progress under a rule; `ruleCreatedAtMs` is null where the page says beside it since when time counts. */
type Measured = Pick<RuleProgress, 'progress'> & {
  asked: Pick<RuleProgress['asked'], 'watchScope'>;
  ruleCreatedAtMs: number | null;
};

const rows: Record<ConditionKey, (rule: Measured, words: Words) => ConditionRow | null> = {
  watch: ({ progress: { watch }, asked: { watchScope }, ruleCreatedAtMs }, { t, span, time }) =>
    watch && {
      name:
        ruleCreatedAtMs === null
          ? t('progress.watched')
          : watchScope === 'allTime'
            ? t('progress.watchAllTime')
            : t('progress.watchSince', { date: time(ruleCreatedAtMs, 'day') }),
      icon: Clock,
      value: <Watched seconds={watch.haveSeconds} />,
      goal: t('progress.goal', { goal: span(watch.needSeconds) }),
      met: watch.met,
      onStream: true,
      ...(!watch.met && {
        left: {
          // Rounded up, because the watched time is rounded down: together they are the goal.
          amount: span(Math.ceil((watch.needSeconds - watch.haveSeconds) / 60) * 60),
          text: t('progress.leftToWatch'),
        },
      }),
      progress: { value: watch.haveSeconds, max: watch.needSeconds },
    },
  streams: ({ progress: { streams } }, { t }) =>
    streams && {
      name: [
        t('progress.streams'),
        ...(streams.ofLastStreams === null ? [] : [t('progress.inARow', { total: streams.ofLastStreams })]),
      ].join(' '),
      icon: Calendar,
      value: streams.haveStreams,
      goal: t('progress.goal', { goal: streams.needStreams }),
      met: streams.met,
      onStream: true,
      progress: { value: streams.haveStreams, max: streams.needStreams },
      isStamped: true,
    },
  follow: ({ progress: { follow } }, { t }) =>
    follow && {
      name: t('progress.following'),
      icon: Heart,
      value: follow.sinceMs === null ? t('progress.notYet') : t('common.days', { count: follow.haveDays }),
      goal: follow.sinceMs === null ? undefined : t('progress.goal', { goal: follow.needDays }),
      met: follow.met,
      progress: { value: follow.haveDays, max: follow.needDays },
    },
  subscriber: ({ progress: { subscriber } }, { t }) =>
    subscriber && {
      name: t('progress.subscription'),
      icon: Star,
      value: [
        subscriber.haveTier === null
          ? t('progress.notYet')
          : t('progress.tier', { tier: subscriber.haveTier }),
        ...(subscriber.met ? [] : [tierNeeded[subscriber.needTier](t)]),
      ].join(', '),
      met: subscriber.met,
    },
  points: ({ progress: { points } }, { t, time, number }) =>
    points && {
      name: t('progress.points'),
      icon: Coins,
      value:
        points.redeemedAtMs === null
          ? t('progress.pointsCost', { count: points.cost, cost: number(points.cost) })
          : t('progress.redeemed', { date: time(points.redeemedAtMs) }),
      met: points.met,
    },
};
export const conditionKeys = Object.keys(rows) as ConditionKey[];

/** The viewer's progress with each condition of a rule. */
export function useConditionRows(rule: Measured): ConditionRow[] {
  const words = useWords();
  return conditionKeys.flatMap((key) => rows[key](rule, words) ?? []);
}

export const Conditions = ({ rows }: { rows: readonly ConditionRow[] }) =>
  rows.map(({ left: _left, onStream: _onStream, ...row }) => <Condition key={row.name} {...row} />);
