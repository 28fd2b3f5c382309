import type { ReactNode } from 'react';

export type Metric = {
  label: string;
  value: ReactNode;
  unit?: string;
  note?: ReactNode;
};

/** Numbers beside each other, for a sheet of their own. */
export function Metrics({ metrics }: { metrics: readonly Metric[] }) {
  return (
    <div className="sheet">
      <div className="metrics">
        {metrics.map(({ label, value, unit, note }) => (
          <div key={label}>
            <div className="metric__label">{label}</div>
            <div className="metric__value">
              {value} {unit && <small>{unit}</small>}
            </div>
            {note && <div className="metric__note">{note}</div>}
          </div>
        ))}
      </div>
    </div>
  );
}

/** A change against before: its sign is a word's worth, and its colour only helps. */
export function Change({ value, children }: { value: number; children: ReactNode }) {
  if (value === 0) return <span>{children}</span>;
  return <span className={value > 0 ? 'up' : 'down'}>{children}</span>;
}
