import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { StreamCheck } from '#domain/watch-time/get-stream-check.ts';

/** Says what a look at the chat of a stream found: only numbers that are known. */
export function StreamCheckText({ check }: { check: StreamCheck }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const { people, bots, viewers, outsideChat } = check;
  return [
    ...(viewers === null ? [] : [t('channel.check.viewers', { viewers: number(viewers) })]),
    t('channel.check.people', { people: number(people) }),
    ...(outsideChat === null ? [] : [t('channel.check.outside', { people: number(outsideChat) })]),
    t('channel.check.bots', { bots: number(bots) }),
  ].join(' ');
}
