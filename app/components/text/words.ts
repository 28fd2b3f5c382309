import { useNumberText, useSpanText } from './amounts.tsx';
import { useTimeText } from './local-time.tsx';
import { useTranslation } from './translation.tsx';

/** All that makes a text of a value, for tables of texts. */
export function useWords() {
  return { t: useTranslation().t, span: useSpanText(), time: useTimeText(), number: useNumberText() };
}

export type Words = ReturnType<typeof useWords>;
