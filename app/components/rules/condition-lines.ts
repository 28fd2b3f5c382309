import type { Sign } from '#app/components/icons/icon.tsx';
import { Calendar, Clock, Coins, Heart, Star } from '#app/components/icons/signs.ts';
import { useWords, type Words } from '#app/components/text/words.ts';
import type { ConditionKey, Conditions, OwnerFacts } from '#domain/condition/conditions.ts';

/** `countsFromMs` is omitted for a draft, and null if there is no one time; facts that only the owner sees are omitted for everyone else. */
export type AskingRule = Conditions & Partial<OwnerFacts> & { countsFromMs?: number | null };

type Line = {
  icon: Sign;
  text: string;
  note: string;
  /** The note is part of the condition, so lists show it too. */
  hintInLists?: true;
  /** The reason why viewers cannot meet it now. */
  fault?: string;
  /** Facts that viewers should know before they start. */
  promise?: string;
  /** The text of the rule's badge while Twitch refuses what the condition needs. */
  badge?: string;
};

const lines: Record<ConditionKey, (rule: AskingRule, words: Words) => Line | null> = {
  watch: ({ watchMinutes, watchScope, countsFromMs }, { t, span, time }) =>
    watchMinutes === null
      ? null
      : {
          icon: Clock,
          text: t('rules.asks.watch', { span: span(watchMinutes * 60) }),
          note:
            watchScope === 'allTime'
              ? t('rules.asks.allTime')
              : countsFromMs === undefined
                ? t('rules.asks.sinceRule')
                : countsFromMs === null
                  ? t('rules.asks.sinceAsked')
                  : t('rules.asks.since', { date: time(countsFromMs, 'day') }),
          hintInLists: true,
        },
  streams: ({ attendedStreams, ofLastStreams }, { t }) =>
    attendedStreams === null
      ? null
      : {
          icon: Calendar,
          text: t('rules.asks.streams', { count: attendedStreams }),
          note:
            ofLastStreams === null
              ? t('rules.asks.streamsNote')
              : t('rules.asks.streamsOfLast', { count: ofLastStreams }),
          hintInLists: true,
        },
  follow: ({ followDays }, { t }) =>
    followDays === null
      ? null
      : {
          icon: Heart,
          text: t('rules.asks.follow', { span: t('common.days', { count: followDays }) }),
          note: t('rules.asks.followNote'),
        },
  subscriber: ({ subscriberTier, subscribersFault }, { t }) =>
    subscriberTier === null
      ? null
      : {
          icon: Star,
          text: t('rules.asks.subscriber'),
          note: t(`rules.asks.tier${subscriberTier}`),
          hintInLists: true,
          ...(subscribersFault && { fault: t(`rules.subscribersFault.${subscribersFault}`) }),
        },
  points: ({ pointsCost, customRewardFault }, { t, number }) =>
    pointsCost === null
      ? null
      : {
          icon: Coins,
          text: t('rules.asks.points', { count: pointsCost, cost: number(pointsCost) }),
          note: t('rules.asks.pointsNote'),
          promise: t('channelPage.pointsBack'),
          ...(customRewardFault && { badge: t('rules.customReward.refused') }),
        },
};

/** A rule's conditions, one line each. */
export function useConditionLines(rule: AskingRule): (Line & { key: string })[] {
  const words = useWords();
  return Object.entries(lines).flatMap(([key, lineOf]) => {
    const line = lineOf(rule, words);
    return line ? { key, ...line } : [];
  });
}
