import type { ReactNode } from 'react';

export type Metric = {
  label: string;
  value: ReactNode;
  unit?: string;
  note?: ReactNode;
};

/** Numbers side by side, in a sheet of their own. */
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
