import { useEffect, useRef } from 'react';

type Props = {
  name: string;
  label: string;
  value: string;
  /** The label of the empty choice. */
  all: string;
  options: readonly { value: string; label: string }[];
};

/** A filter with a fixed set of values. */
export function FilterSelect({ name, label, value, all, options }: Props) {
  const select = useRef<HTMLSelectElement>(null);
  // Another address may bring another value. A new element would lose the focus.
  useEffect(() => {
    if (select.current) select.current.value = value;
  }, [value]);
  return (
    <label className="field">
      <span className="field__label">{label}</span>
      <select className="select" name={name} ref={select} defaultValue={value}>
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
