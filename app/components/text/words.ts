import { useNumberText, useSpanText } from './amounts.tsx';
import { useTimeText } from './local-time.tsx';
import { useTranslation } from './translation.tsx';

/** The formatters that turn values into texts. */
export function useWords() {
  return { t: useTranslation().t, span: useSpanText(), time: useTimeText(), number: useNumberText() };
}

export type Words = ReturnType<typeof useWords>;
