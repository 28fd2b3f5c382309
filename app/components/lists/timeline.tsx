import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { Check } from '#app/components/icons/signs.ts';

export type TimelineStep = {
  key: string;
  label: ReactNode;
  state: 'done' | 'now' | 'todo';
  /** The time of the step: a LocalTime, or nothing. */
  time?: ReactNode;
  note?: ReactNode;
};

const labels = { done: undefined, now: 'strong', todo: 'timeline__todo' };

/** Steps in their order, each with its time. */
export function Timeline({ steps }: { steps: TimelineStep[] }) {
  return (
    <ol className="timeline">
      {steps.map(({ key, label, state, time, note }) => (
        <li key={key}>
          {state === 'done' ? (
            <Icon of={Check} className="timeline__dot timeline__dot--done" />
          ) : (
            <span className={`timeline__dot timeline__dot--${state}`} />
          )}
          <span className={labels[state]} aria-current={state === 'now' ? 'step' : undefined}>
            {label}
          </span>
          {time && <span className="timeline__when">{time}</span>}
          {note && <p>{note}</p>}
        </li>
      ))}
    </ol>
  );
}
