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
  return (
    <select className="select" name={name} key={value} defaultValue={value} aria-label={label}>
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
