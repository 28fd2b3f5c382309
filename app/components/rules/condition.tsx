import type { ReactNode } from 'react';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { CircleCheck } from '#app/components/icons/signs.ts';

export type ConditionProps = {
  name: string;
  icon: Sign;
  /** The progress as text: "7 h 12 min". */
  value: ReactNode;
  /** The goal as text: "of 10 h". */
  goal?: ReactNode;
  met: boolean;
  /** Omitted if the progress cannot be known, as with a balance of channel points. */
  progress?: { value: number; max: number };
};

/** Progress under one condition, as text and as a bar. */
export function Condition({ name, icon, value, goal, met, progress }: ConditionProps) {
  return (
    <div className="cond">
      <div className="cond__head">
        <Icon of={met ? CircleCheck : icon} size="small" className={met ? 'icon--ok' : ''} />
        <span>{name}</span>
        <span className="cond__value">
          {goal ? <b>{value}</b> : value} {goal}
        </span>
      </div>
      {progress && (
        <progress
          className="meter"
          value={Math.min(progress.value, progress.max)}
          max={progress.max}
          aria-label={name}
        />
      )}
    </div>
  );
}
