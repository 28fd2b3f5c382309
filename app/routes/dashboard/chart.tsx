import { useNumberText } from '#app/components/text/amounts.tsx';
import { useUtcDayText } from '#app/components/text/local-time.tsx';

type Props = {
  kind: 'bars' | 'line';
  path: string;
  accent: string;
  scale: readonly number[];
  /** Labels of the days below the chart. */
  axis: readonly number[];
};

const spans = (texts: readonly string[]) => texts.map((text) => `<span>${text}</span>`).join('');
const classes = {
  bars: { path: 'chart__bar', accent: 'chart__bar chart__bar--now' },
  line: { path: 'chart__line', accent: 'chart__area' },
};

/**
 * A chart rendered on the server. Screen readers skip it: the number and the table beside it say the same. It is one
 * string, because elements would cost more than the rest of the page.
 */
export function Chart({ kind, path, accent, scale, axis }: Props) {
  const number = useNumberText();
  const dayText = useUtcDayText();
  const { path: ofPath, accent: ofAccent } = classes[kind];
  const values = scale.map((value) => number(value, oneDigit));
  const days = axis.map((ms) => dayText(ms, 'day'));
  const __html = `<div class="chart__y">${spans(values)}</div><svg class="chart__plot" viewBox="0 0 100 100" preserveAspectRatio="none" focusable="false"><path class="chart__grid" d="M0 0h100M0 50h100M0 100h100"/><path class="${ofPath}" d="${path}"/><path class="${ofAccent}" d="${accent}"/></svg><div class="chart__x">${spans(days)}</div>`;
  return (
    <div
      className="chart"
      aria-hidden="true"
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: only numbers, dates and paths that we generate.
      dangerouslySetInnerHTML={{ __html }}
    />
  );
}

const oneDigit = { maximumFractionDigits: 1 };
