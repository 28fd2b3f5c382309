import type { ComponentProps, ReactNode } from 'react';

type InputProps = Omit<ComponentProps<'input'>, 'type' | 'children'>;

/** A checkbox with its label. */
export function Check({
  children,
  small = false,
  ...rest
}: InputProps & { children: ReactNode; small?: boolean }) {
  return (
    <label className={small ? 'check s13' : 'check'}>
      <input type="checkbox" {...rest} />
      <span>{children}</span>
    </label>
  );
}

/** One of a few large answers, with a line that explains it; a bad one conflicts with another field. */
export function Choice({
  title,
  children,
  bad = false,
  ...rest
}: InputProps & { title: ReactNode; children?: ReactNode; bad?: boolean }) {
  return (
    <label className={bad ? 'choice choice--bad' : 'choice'}>
      <input type="radio" {...rest} />
      <span>
        <span className="strong">{title}</span>
        {children && <small>{children}</small>}
      </span>
    </label>
  );
}

export type Segment = { value: string; label: ReactNode };

type SegmentedProps = {
  legend: string;
  name: string;
  segments: readonly Segment[];
  value: string;
  onChange?: (value: string) => void;
};

/** A few short options side by side, as radio buttons. */
export function Segmented({ legend, name, segments, value, onChange }: SegmentedProps) {
  return (
    <fieldset className="segmented">
      <legend className="vh">{legend}</legend>
      {segments.map((segment) => (
        <label key={segment.value}>
          <input
            type="radio"
            name={name}
            value={segment.value}
            defaultChecked={segment.value === value}
            onChange={onChange && (() => onChange(segment.value))}
          />
          {segment.label}
        </label>
      ))}
    </fieldset>
  );
}
