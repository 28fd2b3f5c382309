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
  /** The progress is drawn as a card with as many places for stamps, instead of a bar. */
  isStamped?: boolean;
};

/** The text beside it says the same. A dash of no length with a round end is a stamp. */
const StampCard = ({ value, max }: { value: number; max: number }) => (
  <svg className="stamps" viewBox={`0 0 ${max * 10} 10`} aria-hidden="true">
    <path d={`M5 5h${max * 10 - 9.9}`} />
    {value > 0 && <path d={`M5 5h${Math.min(value, max) * 10 - 9.9}`} />}
  </svg>
);

/** Progress under one condition, as text and as a bar. */
export function Condition({ name, icon, value, goal, met, progress, isStamped }: ConditionProps) {
  return (
    <div className="cond">
      <div className="cond__head">
        <Icon of={met ? CircleCheck : icon} size="small" className={met ? 'icon--ok' : ''} />
        <span>{name}</span>
        <span className="cond__value">
          {goal ? <b>{value}</b> : value} {goal}
        </span>
      </div>
      {progress && isStamped && <StampCard {...progress} />}
      {progress && !isStamped && (
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
