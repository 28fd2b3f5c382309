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
  const isNew = useRef(true);
  // Another address may bring another value. A new element would lose the focus.
  useEffect(() => {
    const { current } = select;
    if (!current) return;
    // A choice made before the scripts ran applies now.
    if (isNew.current && current.value !== value) current.form?.requestSubmit();
    else current.value = value;
    isNew.current = false;
  }, [value]);
  return (
    <label className="field">
      <span className="field__label">{label}</span>
      <select className="select" name={name} ref={select} defaultValue={value} autoComplete="off">
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
