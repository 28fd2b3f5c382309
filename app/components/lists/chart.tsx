import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';

type Props = {
  kind: 'bars' | 'line';
  path: string;
  accent: string;
  scale: readonly number[];
  /** Days below the chart. */
  axis: readonly number[];
};

/** A chart drawn on the server. Screen readers pass it over: the number and the table beside it say the same. */
export function Chart({ kind, path, accent, scale, axis }: Props) {
  const number = useNumberText();
  const time = useTimeText();
  return (
    <div className="chart chart--short" aria-hidden="true">
      <div className="chart__y">
        {scale.map((value) => (
          <span key={value}>{number(value, { maximumFractionDigits: 1 })}</span>
        ))}
      </div>
      <svg
        className="chart__plot"
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        focusable="false"
        aria-hidden="true"
      >
        <path className="chart__grid" d="M0 0h100M0 50h100M0 100h100" />
        <path
          className={kind === 'bars' ? 'chart__bar' : 'chart__area'}
          d={kind === 'bars' ? path : accent}
        />
        <path
          className={kind === 'bars' ? 'chart__bar chart__bar--now' : 'chart__line'}
          d={kind === 'bars' ? accent : path}
        />
      </svg>
      <div className="chart__x">
        {axis.map((ms) => (
          <span key={ms}>{time(ms, 'day')}</span>
        ))}
      </div>
    </div>
  );
}
